// SPDX-License-Identifier: MIT
#include "tarl/study/results/run_record.h"

#include "study/results_synthetic.h"
#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/store/run_lock.h"

namespace tarl::study {
namespace {

using synthetic::write_run;

TEST(RunRecord, HoldsWhatTheFolderOfARunTells) {
  const test::TemporaryFolder scratch;
  const fs::path folder = scratch / "run";
  write_run(folder, {.algo = "ta-dqn", .evaluations = 4, .margin = 1, .status = "running"});
  write_file_durably(folder / "monitor.csv", "#{}\nr,l,t\n1,200,200\n3,250,450\n");
  const store::RunLock lock(folder);
  const RunRecord record = read_run_record(folder);
  EXPECT_EQ(record.label, "TA-DQN");
  EXPECT_EQ(record.phase, RunPhase::kRunning);
  EXPECT_EQ(record.step, 450);
  EXPECT_EQ(record.episodes.returns, (std::vector<double>{1, 3}));
  EXPECT_EQ(record.run.mean_returns.size(), 4U);
  EXPECT_EQ(record.preset.name, "minatar/paper");
  EXPECT_EQ(record.preset.settings.at("align.margin"), "1");
}

TEST(RunRecord, ComparesWithTheBuiltInPresetOfItsCommand) {
  study::Run run;
  run.env = "minatar/breakout";
  run.algo = "dqn";
  const Preset usual = preset_of(run);
  EXPECT_EQ(usual.name, "minatar/paper");
  EXPECT_EQ(usual.note, "");
  run.info["command"] = "tarl train --preset paper --env minatar/breakout";
  EXPECT_EQ(preset_of(run).settings, usual.settings);
  run.info["command"] = "tarl train --preset=/dev/zero";
  const Preset other = preset_of(run);
  EXPECT_EQ(other.settings, usual.settings);
  EXPECT_NE(other.note.find("/dev/zero"), std::string::npos);
  run.env = "no/such";
  EXPECT_TRUE(preset_of(run).settings.empty());
}

TEST(RunRecord, NotesDamageAndRefusesWhatIsNoRun) {
  const test::TemporaryFolder scratch;
  write_run(scratch / "run", {});
  write_file_durably(scratch / "run" / "evaluations.npz", "no archive");
  EXPECT_EQ(read_run_record(scratch / "run").run.damage.size(), 1U);
  EXPECT_THROW(read_run_record(scratch.path()), Error);
  write_file_durably(scratch / "run" / "config.toml", "= no toml");
  EXPECT_THROW(read_run_record(scratch / "run"), Error);
}

}  // namespace
}  // namespace tarl::study
