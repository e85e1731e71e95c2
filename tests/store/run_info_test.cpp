// SPDX-License-Identifier: MIT
#include "tarl/store/run_info.h"

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/json.h"

namespace tarl::store {

namespace {

using test::TemporaryFolder;

TEST(RunInfo, ReadsBackWhatWasWritten) {
  const TemporaryFolder folder;
  RunInfo info = describe_build();
  info.seed = 7;
  info.command = {"tarl", "train", "--set", "name=\"a b\""};
  info.program = "/opt/bin/mine";
  info.plugins = {{"/opt/lib/one.so", "one 1.0"}};
  info.libraries = {{"mujoco", "3.3.7"}};
  info.started = utc_now();
  info.updated = utc_now();
  info.training_seconds = 12.5;
  info.resumes = 2;
  info.status = RunStatus::kFailed;
  info.error = "disk full\nsecond line";
  save_run_info(folder / "run.json", info);
  EXPECT_EQ(load_run_info(folder / "run.json"), info);
}

TEST(RunInfo, DescribesThisBuild) {
  const RunInfo info = describe_build();
  for (const std::string& text : {info.version, info.commit, info.compiler, info.flags, info.cpu}) {
    EXPECT_FALSE(text.empty());
  }
  EXPECT_EQ(info.status, RunStatus::kRunning);
}

TEST(RunInfo, TheClockIsUtc) {
  const std::string now = utc_now();
  ASSERT_EQ(now.size(), 20U);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now.back(), 'Z');
}

TEST(RunInfo, ACommandThatIsNotUtf8IsStillWritten) {
  const TemporaryFolder folder;
  RunInfo info;
  info.command = {"tarl", "\xff\xfe"};
  save_run_info(folder / "run.json", info);
  EXPECT_EQ(load_run_info(folder / "run.json").value().command.size(), 2U);
}

TEST(RunInfo, AnOlderFileWithFewerFieldsIsRead) {
  const TemporaryFolder folder;
  write_file_durably(folder / "run.json", R"({"version": "0.0.9", "resumes": 2})");
  const RunInfo info = load_run_info(folder / "run.json").value();
  EXPECT_EQ(info.resumes, 2);
  EXPECT_EQ(info.checkpoints, 0);
}

TEST(RunInfo, ABadFileIsNamedAndAMissingOneIsNone) {
  const TemporaryFolder folder;
  EXPECT_FALSE(load_run_info(folder / "run.json"));
  for (const std::string_view text :
       {"", "{", "[]", "{\"version\": 3}", R"({"version": "1", "status": "tired"})"}) {
    write_file_durably(folder / "run.json", text);
    const std::string problem = test::error_of([&] { load_run_info(folder / "run.json"); });
    EXPECT_NE(problem.find((folder / "run.json").string()), std::string::npos) << problem;
  }
}

}  // namespace

}  // namespace tarl::store
