// SPDX-License-Identifier: MIT
#include "tarl/report/analysis/filter.h"

#include <algorithm>
#include <limits>

#include "report/results_in_memory.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/report/figures/filter.h"

namespace tarl::report {
namespace {

// Two updates of four candidates with two kept: the terminal ones first, then the best aligned.
store::Trace small_trace() {
  store::Trace trace;
  trace.shape = {4, 1, 0};
  trace.update = {5, 10};
  trace.step = {20, 40};
  trace.lag = {1, 8};
  trace.slot = {0, 1, 2, 3, 4, 5, 6, 7};
  trace.age = {0, 99, 100, 5'000, 2'000'000, 50, 20, 10};
  trace.reward = {1, 0, 0, 0, 1, 0, 0, 0};
  trace.terminal = {1, 0, 0, 0, 1, 0, 0, 0};
  trace.weight.assign(8, 1);
  for (auto* values : {&trace.q, &trace.y_online, &trace.y_offline}) values->assign(8, 0.5F);
  trace.score = {1, 0.95, 0.4, 0.05, 1, 0.31, 0.35, 0};
  trace.scenario = {0, 2, 3, 3, 0, 3, 3, 3};
  trace.kept = {1, 1, 0, 0, 1, 0, 1, 0};
  return trace;
}

FilterCounts counts_of(const store::Trace& trace, int times, bool hard) {
  FilterCounter counter;
  for (int i = 0; i < times; ++i) counter.add(trace);
  return counter.counts(hard);
}

using Kinds = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;  // candidates, kept

Kinds kinds(const FilterCounts& counts, const std::string& property) {
  Kinds found;
  for (const KeptBy& by : counts.by) {
    if (by.property != property) continue;
    for (const KeptKind& kind : by.kinds) {
      found[kind.name] = {kind.count.candidates, kind.count.kept};
    }
  }
  return found;
}

TEST(FilterCounts, SayWhichCandidatesAreKept) {
  const FilterCounts counts = counts_of(small_trace(), 2, true);
  EXPECT_EQ(counts.runs, 2U);
  EXPECT_EQ(counts.updates, 4);
  EXPECT_EQ(counts.all.chance(), 0.5);
  EXPECT_EQ(kinds(counts, "terminal"), (Kinds{{"terminal", {4, 4}}, {"not terminal", {12, 4}}}));
  EXPECT_EQ(kinds(counts, "reward"), (Kinds{{"0", {12, 4}}, {"1", {4, 4}}}));
  EXPECT_EQ(kinds(counts, "age in environment steps"), (Kinds{{"under 100", {10, 6}},
                                                              {"100 to 299", {2, 0}},
                                                              {"3000 to 9999", {2, 0}},
                                                              {"1000000 and more", {2, 2}}}));
  EXPECT_EQ(kinds(counts, "updates since the target sync"), (Kinds{{"1", {8, 4}}, {"8", {8, 4}}}));
  EXPECT_EQ(kinds(counts, "alignment"), (Kinds{{"0.0 to 0.1", {4, 0}},
                                               {"0.3 to 0.4", {4, 2}},
                                               {"0.4 to 0.5", {2, 0}},
                                               {"0.9 to 1.0", {2, 2}},
                                               {"1", {4, 4}}}));
  EXPECT_EQ(kinds(counts, "scenario"),
            (Kinds{{"I perfect", {4, 4}}, {"III overshoot", {2, 2}}, {"IV misaligned", {10, 2}}}));
}

// Every update keeps the same share, whatever its lag: what changes is how aligned they are.
TEST(FilterCounts, HaveTheAlignmentByLag) {
  const FilterCounts counts = counts_of(small_trace(), 2, true);
  const auto by = std::find_if(counts.by.begin(), counts.by.end(),
                               [](const KeptBy& it) { return it.of_updates; });
  ASSERT_NE(by, counts.by.end());
  ASSERT_EQ(by->kinds.size(), 2U);
  EXPECT_EQ(by->kinds[0].place, 0.5);
  EXPECT_EQ(by->kinds[1].place, 7.5);
  EXPECT_DOUBLE_EQ(by->kinds[0].count.mean_alignment(), 0.6);
  EXPECT_DOUBLE_EQ(by->kinds[0].count.mean_kept_alignment(), 0.975);
  EXPECT_DOUBLE_EQ(by->kinds[1].count.mean_alignment(), 0.415);
}

TEST(FilterCounts, BlendedTargetsHaveNoLag) {
  EXPECT_TRUE(kinds(counts_of(small_trace(), 1, false), "updates since the target sync").empty());
}

TEST(FilterCounts, GoByThePapersScoreWhateverChooses) {
  store::Trace trace = small_trace();
  trace.shape.replaced = 1;
  trace.paper_score = trace.score;
  trace.score.assign(8, std::numeric_limits<double>::infinity());
  EXPECT_EQ(kinds(counts_of(trace, 1, true), "alignment"),
            kinds(counts_of(small_trace(), 1, true), "alignment"));
}

TEST(FilterCounts, ManyRewardsAreSortedIntoFifths) {
  store::Trace trace = small_trace();
  trace.reward = {1, 2, 3, 4, 5, 6, 7, 8};
  const Kinds found = kinds(counts_of(trace, 1, true), "reward");
  EXPECT_EQ(found.size(), 5U);
  EXPECT_EQ(found.at("lowest fifth"), (std::pair<std::int64_t, std::int64_t>{1, 1}));
  EXPECT_EQ(found.at("highest fifth"), (std::pair<std::int64_t, std::int64_t>{2, 1}));
}

// The study of results_of() on disk, with a trace of its aligned run.
class FilterFigures : public testing::Test {
 protected:
  FilterFigures() : results_(test::results_of({{{1}, {2}}})) {
    results_.runs[1].place = folder_ / "run";
    results_.runs[0].place = folder_ / "plain";
    fs::create_directories(folder_ / "run");
  }

  void write_trace() {
    store::TraceLog log(folder_ / "run", true);
    log.start();
    log.append(small_trace());
    log.finish();
  }

  void read() {
    analysis_ = analyse(results_, {50, 0.95});
    scene_ = make_scene(analysis_);
    counts_ = filter_counts(analysis_);
    figures_ = filter_figures(scene_, counts_);
  }

  test::TemporaryFolder folder_;
  study::Results results_;
  Analysis analysis_;
  Scene scene_;
  std::vector<FilterCounts> counts_;
  std::vector<Figure> figures_;
};

TEST_F(FilterFigures, AreThereForRunsWithATrace) {
  read();
  EXPECT_TRUE(figures_.empty());
  write_trace();
  read();
  ASSERT_EQ(figures_.size(), 1U);
  EXPECT_EQ(figures_[0].id, "filter-game_0-TA-DQN");
  EXPECT_EQ(figures_[0].panels.size(), 6U);
  EXPECT_NE(figures_[0].caption.find("Terminal transitions are 25.0 % of the candidates and "
                                     "50.0 % of what was learned from"),
            std::string::npos)
      << figures_[0].caption;
  const std::string table = filter_csv(scene_, counts_);
  EXPECT_NE(table.find("game/0,TA-DQN,1,2,all,all,8,4,0.5,"), std::string::npos) << table;
  EXPECT_NE(table.find("game/0,TA-DQN,1,2,terminal,terminal,2,2,1,1,1\n"), std::string::npos)
      << table;
}

TEST_F(FilterFigures, AreOnThePageOfARun) {
  EXPECT_TRUE(run_filter_figure(results_.runs[1]).caption.empty());
  write_trace();
  EXPECT_EQ(run_filter_figure(results_.runs[1]).panels.size(), 6U);
}

TEST_F(FilterFigures, TellOfTracesThatCannotBeRead) {
  write_file_durably(folder_ / "run/trace.npz", "none");
  read();
  ASSERT_EQ(counts_.size(), 1U);
  EXPECT_EQ(counts_[0].damage.size(), 1U);
  ASSERT_EQ(figures_.size(), 1U);
  EXPECT_NE(figures_[0].caption.find("Left out: "), std::string::npos);
  EXPECT_NO_THROW(filter_csv(scene_, counts_));
}

}  // namespace
}  // namespace tarl::report
