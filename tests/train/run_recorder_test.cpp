// SPDX-License-Identifier: MIT
#include "tarl/train/run_recorder.h"

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/store/progress_csv.h"
#include "tarl/train/loop.h"

namespace tarl::train {
namespace {

// Evaluations fall on target syncs here: the update after one has an alignment of 1 whatever the
// run is like.
TEST(Progress, ShowsTheAlignmentOfTheIntervalThatWasLogged) {
  const test::TemporaryFolder folder;
  for (const char* algo : {"ta-dqn", "ta-sac"}) {
    const bool dqn = std::string(algo) == "ta-dqn";
    const RunConfig config = resolve(
        {.algo = algo,
         .env = dqn ? "classic/cartpole" : "classic/pendulum",
         .set = {"steps=1200", "learning_starts=100", "eval.count=4", "eval.episodes=1",
                 "batch_size=8", "policy.net_arch=[16]", "buffer_size=2000", "learning_rate=0.01",
                 "align.margin=0.25", dqn ? "target_update_interval=100" : "gradient_steps=1"}});
    Team team(1);
    const fs::path run = folder / algo;
    fs::create_directories(run);
    store::RunLogs logs(run, {.env_id = config.env, .tensorboard = false});
    Loop loop(config, team, logs);
    std::vector<double> shown;
    loop.run({.stop = {},
              .progress =
                  [&](const Progress& progress) {
                    if (progress.evaluated) shown.push_back(progress.alignment);
                  },
              .checkpoint = {}});
    const auto logged = store::read_progress(run / "progress.csv").at("tarl/alignment_mean");
    EXPECT_EQ(shown, logged) << algo;
    EXPECT_LT(shown.back(), 0.9999) << algo;
  }
}

}  // namespace
}  // namespace tarl::train
