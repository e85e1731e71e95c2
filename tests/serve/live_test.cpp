// SPDX-License-Identifier: MIT
#include "tarl/serve/live.h"

#include <atomic>
#include <thread>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/json.h"
#include "tarl/study/plan/study_folder.h"

namespace tarl::serve {
namespace {

using namespace std::chrono_literals;

void make_run(const fs::path& folder, const std::string& status) {
  make_directories(folder);
  write_file_durably(folder / "config.toml", "algo = \"dqn\"\nenv = \"minatar/breakout\"\n");
  write_file_durably(folder / "run.json", R"({"version": "0.1.0", "status": ")" + status + "\"}");
}

TEST(Fingerprint, ChangesWithResultsAlone) {
  const test::TemporaryFolder scratch;
  make_run(scratch / "a", "running");
  const std::uint64_t before = fingerprint(scratch.path());
  write_file_durably(scratch / "a" / "train.log", "a line");
  EXPECT_EQ(fingerprint(scratch.path()), before);
  const fs::path results = scratch / "a" / "evaluations.npz";
  write_file_durably(results, "");
  const std::uint64_t after = fingerprint(scratch.path());
  EXPECT_NE(after, before);
  fs::last_write_time(results, fs::last_write_time(results) + 1s);
  EXPECT_NE(fingerprint(scratch.path()), after);
}

TEST(StatusJson, CountsRunsOfAnyFolder) {
  const test::TemporaryFolder scratch;
  make_run(scratch / "a", "finished");
  make_run(scratch / "b", "running");
  const auto json = parse_json(status_json(scratch.path()));
  EXPECT_EQ(json["runs"], 2);
  EXPECT_EQ(json["done"], 1);
  EXPECT_EQ(json["running"], 1);
}

TEST(StatusJson, KnowsWhatAStudyStillLacks) {
  const test::TemporaryFolder scratch;
  study::join_folder(scratch.path(),
                     study::apply_request(study::find_study("minatar-replay"),
                                          {.seeds = 2, .envs = {"minatar/breakout"}}));
  const auto json = parse_json(status_json(scratch.path()));
  EXPECT_EQ(json["name"], "minatar-replay");
  EXPECT_EQ(json["missing"], 12);
}

TEST(StatusJson, SaysThatTheFolderIsGone) {
  const test::TemporaryFolder scratch;
  const auto json = parse_json(status_json(scratch / "removed"));
  EXPECT_EQ(json["problem"], "the folder " + (scratch / "removed").string() + " is gone");
  EXPECT_FALSE(json.contains("runs"));
}

TEST(LivePage, PutsTheBadgeInsideTheBody) {
  const std::string page = live_page("<html><body><p>x</p></body></html>");
  EXPECT_LT(page.find("tarl-live"), page.find("</body>"));
  EXPECT_NE(live_page("no body").find("tarl-live"), std::string::npos);
}

// Asks a server in this very thread, which serves until the answer is there.
std::string fetch(Server& server, const std::string& path) {
  std::string answer;
  std::atomic<bool> answered{false};
  std::thread client([&] {
    answer = study::output_of(
        {"curl", "-s", "http://127.0.0.1:" + std::to_string(server.port()) + path});
    answered = true;
  });
  while (!answered) server.serve(5ms, -1);
  client.join();
  return answer;
}

TEST(LiveReport, ShowsANewReportWhenThereAreNewResults) {
  if (std::system("command -v curl >/dev/null") != 0) GTEST_SKIP() << "SKIPPED: no curl here";
  const test::TemporaryFolder scratch;
  make_run(scratch / "runs" / "a", "running");
  // Writes the number of times it was called into the page; the file's name comes last.
  write_file_durably(scratch / "writer", "echo x >>" + (scratch / "calls").string() +
                                             "; echo \"<body>call $(wc -l <" +
                                             (scratch / "calls").string() + ")</body>\" >\"$1\"\n");
  ServerOptions options;
  options.port = 0;
  Server server(options);
  LiveReport live(server, {.folder = scratch / "runs",
                           .write_report = {"/bin/sh", (scratch / "writer").string()},
                           .look = 0ms,
                           .between = 0ms});
  EXPECT_NE(fetch(server, "/").find("No results yet"), std::string::npos);
  const auto step_until_shown = [&](const std::string& text) {
    while (fetch(server, "/report.html").find(text) == std::string::npos) live.step();
  };
  step_until_shown("call 1");
  for (int i = 0; i < 5; ++i) live.step();  // nothing new, no new report
  EXPECT_EQ(read_text(scratch / "calls"), "x\n");
  write_file_durably(scratch / "runs" / "a" / "evaluations.npz", "new");
  step_until_shown("call 2");
  EXPECT_NE(fetch(server, "/").find("call 2"), std::string::npos);
  EXPECT_NE(fetch(server, "/status.json").find("\"running\":1"), std::string::npos);
}

}  // namespace
}  // namespace tarl::serve
