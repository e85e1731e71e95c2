// SPDX-License-Identifier: MIT
//
// Compares control scores and terminal rules with the CPU's loop.
#include <algorithm>
#include <numeric>

#include "fleet/gpu/first_split.h"
#include "fleet/gpu/score_cases.h"
#include <gtest/gtest.h>

namespace tarl::fleet {
namespace {

train::RunConfig brief(const test::Case& c) {
  std::vector<std::string> set = {"steps=110",
                                  "learning_starts=40",
                                  "buffer_size=100",
                                  "policy.net_arch=[16]",
                                  "batch_size=8",
                                  "target_update_interval=15",
                                  "learning_rate=0.01",
                                  "eval.episodes=1",
                                  "exploration_final_eps=0.5"};
  set.insert(set.end(), c.set.begin(), c.set.end());
  return test::short_run(c.algo, c.env, set);
}

TEST(EmulatedScores, F32KeepsWhatTheCpuDoes) {
  for (const test::Case& c : test::score_cases()) {
    std::string what;
    double distance = 0;
    EXPECT_EQ(test::first_split(brief(c), what, distance), 0) << test::name_of(c) << ": " << what;
    EXPECT_LT(distance, 1e-5) << test::name_of(c);
  }
}

double share_of(const rl::Batch& batch, std::span<const std::int32_t> rows) {
  double count = 0;
  for (const std::int32_t row : rows) count += batch.terminal(static_cast<std::size_t>(row));
  return count / static_cast<double>(rows.size());
}

// The logged metrics are of the paper's score, whichever score selects the rows.
TEST(EmulatedScores, LogsWhatTheCpuDoes) {
  for (const test::Case& c : {test::Case{"ta-dqn", "minatar/breakout", {}},
                              {"ta-dqn", "minatar/breakout", {"align.score=error"}},
                              {"ta-dqn+per", "minatar/breakout", {"align.terminals=exempt"}}}) {
    SCOPED_TRACE(test::name_of(c));
    const train::RunConfig config = brief(c);
    const auto device = test::new_device_agent(config);
    test::CpuRun cpu(config);
    double kept = 0, all = 0, alignment = 0, least = 0;
    for (std::int64_t step = config.learning_starts + 1; step < config.steps; ++step) {
      cpu.run_to(step);
      const train::Learner& learner = cpu.loop.learner();
      const rl::Batch& batch = learner.last_sample().batch;
      std::vector<std::int32_t> rows(static_cast<std::size_t>(batch.rows));
      std::iota(rows.begin(), rows.end(), 0);
      kept += share_of(batch, learner.last_kept());
      all += share_of(batch, rows);
      const std::vector<double>& scores = learner.last_scores().alignment();
      double sum = 0;
      for (const std::int32_t row : learner.last_kept())
        sum += scores[static_cast<std::size_t>(row)];
      alignment += sum / static_cast<double>(learner.last_kept().size());
      least += *std::min_element(scores.begin(), scores.end());
    }
    test::advance(*device, config.steps - 1);
    const AgentState& state = device->state();
    EXPECT_EQ(state.count, cpu.loop.learner().updates());
    const auto sum = [&](Metric metric) { return state.sum[rl::index_of(metric)]; };
    EXPECT_GT(kept, 0);
    EXPECT_NEAR(sum(Metric::kTerminalShare), kept, 1e-9);
    EXPECT_NEAR(sum(Metric::kTerminalShareAll), all, 1e-9);
    EXPECT_NEAR(sum(Metric::kAlignmentMean), alignment, 1e-3);
    EXPECT_NEAR(sum(Metric::kAlignmentMinAll), least, 1e-3);
  }
}

}  // namespace
}  // namespace tarl::fleet
