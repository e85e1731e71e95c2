// SPDX-License-Identifier: MIT
#include "tarl/inspect/inspect.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/align/align.h"
#include "tarl/inspect/numbers.h"
#include "tarl/inspect/reopened.h"

namespace tarl::inspect {
namespace {

using test::error_of;
using test::TemporaryFolder;

// Updates from 50 steps on, every 4 steps, the target copied every 40: ten updates.
const std::vector<std::string> kKept = {"checkpoint.keep=true", "train_freq=4",
                                        "target_update_interval=40", "learning_rate=0.01"};

std::vector<std::string> with(std::vector<std::string> settings,
                              const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

train::RunRequest aligned_run(const fs::path& folder, const std::vector<std::string>& more = {}) {
  return train::small_run(folder, false, with(with(kKept, {"align.margin=1"}), more));
}

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[entry.path().string()] = read_text(entry.path());
  }
  return files;
}

TEST(Inspect, ScoresAndChoicesFollowFromThePredictions) {
  const TemporaryFolder root;
  train::run_training(aligned_run(root / "run"));
  const Candidates all = draw_candidates({.run = root / "run", .rows = 200});
  const store::Trace& trace = all.draws;
  ASSERT_EQ(trace.shape.candidates, 8);
  ASSERT_GE(trace.kept.size(), 200U);
  for (std::size_t draw = 0; draw < trace.updates(); ++draw) {
    std::vector<double> scores;
    for (std::size_t row = draw * 8; row < draw * 8 + 8; ++row) {
      const double q = trace.q[row];
      scores.push_back(align::alignment_score(trace.y_online[row] - q, trace.y_offline[row] - q));
      EXPECT_EQ(trace.score[row], scores.back());
      if (trace.terminal[row] != 0) {
        EXPECT_EQ(trace.y_offline[row], trace.reward[row]);
      }
    }
    std::vector<std::uint8_t> kept(8);
    for (const std::int32_t row : align::keep_best(scores, 4)) kept[row] = 1;
    EXPECT_TRUE(std::equal(kept.begin(), kept.end(), trace.kept.begin() + draw * 8)) << draw;
  }
}

TEST(Inspect, NumbersAreThoseOfTheCandidates) {
  const TemporaryFolder root;
  train::run_training(aligned_run(root / "run"));
  const Candidates all = draw_candidates({.run = root / "run", .rows = 400});
  const store::Trace& trace = all.draws;
  const Numbers numbers = numbers_of(all);
  const auto rows = static_cast<double>(trace.score.size());
  const double sum = std::accumulate(trace.score.begin(), trace.score.end(), 0.0);
  EXPECT_NEAR(numbers.counts.all.mean_alignment(), sum / rows, 1e-12);
  for (const auto* bands : {&numbers.by_error, &numbers.by_age}) {
    double scores = 0, candidates = 0;
    for (std::size_t i = 0; i < bands->size(); ++i) {
      const Band& band = (*bands)[i];
      scores += band.mean * static_cast<double>(band.candidates);
      candidates += static_cast<double>(band.candidates);
      EXPECT_LE(band.low, band.high);
      if (i > 0) {
        EXPECT_GT(band.place, (*bands)[i - 1].place);
      }
    }
    EXPECT_EQ(candidates, rows);
    EXPECT_NEAR(scores, sum, 1e-9);
  }
  double at_ages = 0;
  for (const AgeOfTarget& age : numbers.by_lag) {
    at_ages += static_cast<double>(age.all.candidates);
    EXPECT_GE(age.kept, age.all.mean);
    EXPECT_NEAR(std::accumulate(age.scenarios.begin(), age.scenarios.end(), 0.0), 1, 1e-12);
  }
  EXPECT_EQ(at_ages, rows);
}

TEST(Inspect, TheErrorOfACandidateIsTheMeanOverItsCritics) {
  store::Trace trace;
  trace.shape = {2, 2, 0};
  trace.q = {0, 1, 2, 3, 0, 0, 0, 0};  // two updates: critic 0, critic 1
  trace.y_offline = {1, 1, 5, 7, 0, -2, 0, 4};
  trace.kept = {1, 1, 1, 1};
  EXPECT_EQ(offline_error(trace, 0), 2);  // 1 and 3
  EXPECT_EQ(offline_error(trace, 1), 2);  // 0 and 4
  EXPECT_EQ(offline_error(trace, 3), 3);  // 2 and 4
}

TEST(Inspect, DrawsCoverThePeriodOfTheTarget) {
  const TemporaryFolder root;
  train::run_training(aligned_run(root / "run"));
  const Candidates all = draw_candidates({.run = root / "run", .rows = 16});
  EXPECT_EQ(all.period, 10);
  EXPECT_EQ(all.step, train::kSmallRunSteps);
  EXPECT_LE(all.trained, 40);
  const auto [young, old] = std::minmax_element(all.draws.lag.begin(), all.draws.lag.end());
  EXPECT_EQ(*young, 2);  // the first update after a copy shares a step with it
  EXPECT_EQ(*old, 10);
  EXPECT_TRUE(std::all_of(all.sights.begin(), all.sights.end(), [&](const Sight& sight) {
    return sight.obs.size() == all.spec.obs.bytes() && sight.row < all.draws.kept.size();
  }));
}

TEST(Inspect, AnAgeOfTheTargetCanBeChosen) {
  const TemporaryFolder root;
  train::run_training(aligned_run(root / "run"));
  const Candidates all =
      draw_candidates({.run = root / "run", .rows = 100, .since_sync = std::int64_t{7}});
  EXPECT_EQ(all.draws.lag, std::vector<std::int64_t>(13, 7));
  EXPECT_TRUE(numbers_of(all).by_lag.empty());
  for (const std::int64_t wrong : {1, 11}) {
    const std::string problem =
        error_of([&] { draw_candidates({.run = root / "run", .rows = 100, .since_sync = wrong}); });
    EXPECT_NE(problem.find("choose 2 to 10"), std::string::npos) << problem;
  }
}

// Bit-identical to the resumed run, with draws on the way or without.
TEST(Inspect, GoingOnInMemoryIsTheRunItself) {
  const TemporaryFolder root;
  for (const char* replay : {"uniform", "per", "reaper"}) {
    const fs::path folder = root / replay, copy = root / (std::string(replay) + "-copy");
    train::stopped_run(aligned_run(folder, {"steps=4000", "replay.kind=" + std::string(replay)}),
                       400);
    fs::copy(folder, copy, fs::copy_options::recursive);
    Reopened run({.run = folder});
    Rng sample = seeded(5), noise = seeded(6);
    const std::int64_t end = run.step() + 60;
    run.go_on([&] {
      run.look(1, sample, noise);
      return run.step() >= end;
    });
    train::RunRequest request = train::stored_run(copy);
    std::int64_t step = 0;
    request.stepped = [&](std::int64_t at) { step = at; };
    request.stop = [&] { return step >= end; };
    train::Run resumed(request);
    resumed.train();
    ASSERT_EQ(resumed.loop().step(), run.step());
    const Tensors expected = resumed.loop().agent().parameters();
    for (const auto& [name, tensor] : run.loop().agent().parameters()) {
      EXPECT_EQ(tensor.bytes, expected.at(name).bytes) << replay << " " << name;
    }
  }
}

TEST(Inspect, TheSameRequestGivesTheSameBytesAndLeavesTheRunAlone) {
  const TemporaryFolder root;
  train::run_training(aligned_run(root / "run"));
  const auto before = contents(root / "run");
  for (const char* page : {"one.html", "two.html"}) {
    inspect_run({.run = root / "run", .rows = 100}, root / page);
  }
  EXPECT_EQ(contents(root / "run"), before);
  const std::string one = read_text(root / "one.html"), two = read_text(root / "two.html");
  EXPECT_EQ(one.substr(0, one.find("one_files")), two.substr(0, two.find("two_files")));
  EXPECT_EQ(read_text(root / "one_files" / kCandidatesFile),
            read_text(root / "two_files" / kCandidatesFile));
  inspect_run({.run = root / "run", .rows = 100, .seed = 1}, root / "two.html");
  EXPECT_NE(read_text(root / "one_files" / kCandidatesFile),
            read_text(root / "two_files" / kCandidatesFile));
}

TEST(Inspect, NothingIsWrittenIntoTheRunsFolder) {
  const TemporaryFolder root;
  train::run_training(aligned_run(root / "run"));
  const auto before = contents(root / "run");
  for (const char* out :
       {"run/page.html", "run/model.safetensors", "other/../run/deep/page.html"}) {
    const std::string problem = error_of([&] { inspect_run({.run = root / "run"}, root / out); });
    EXPECT_NE(problem.find("lies in the run's folder"), std::string::npos) << problem;
  }
  EXPECT_EQ(contents(root / "run"), before);
}

TEST(Inspect, ARunThatKeepsEveryCandidateHasScoresToo) {
  const TemporaryFolder root;
  train::run_training(train::small_run(root / "run", false, kKept));
  const Inspected inspected = inspect_run({.run = root / "run", .rows = 100}, root / "page.html");
  EXPECT_EQ(inspected.numbers.at("kept"), inspected.numbers.at("candidates"));
  EXPECT_NE(read_text(inspected.page).find("nothing is left out"), std::string::npos);
  EXPECT_FALSE(fs::exists(inspected.files / "filter.svg"));
}

TEST(Inspect, WithoutACheckpointItSaysHowToGetOne) {
  const TemporaryFolder root;
  train::run_training(train::small_run(root / "done"));
  std::string problem = error_of([&] { draw_candidates({.run = root / "done"}); });
  EXPECT_NE(problem.find("has kept no checkpoint"), std::string::npos) << problem;
  EXPECT_NE(problem.find("--set checkpoint.keep=true"), std::string::npos) << problem;
  train::stopped_run(train::small_run(root / "stopped", false, {"learning_starts=300"}), 100);
  problem = error_of([&] { draw_candidates({.run = root / "stopped"}); });
  EXPECT_NE(problem.find("before the first update"), std::string::npos) << problem;
  fs::remove_all(root / "stopped" / "checkpoints");
  problem = error_of([&] { draw_candidates({.run = root / "stopped"}); });
  EXPECT_NE(problem.find("has no checkpoint yet"), std::string::npos) << problem;
}

TEST(Inspect, ATargetThatIsAlwaysNewIsRefused) {
  const TemporaryFolder root;
  train::run_training(aligned_run(root / "run", {"target_update_interval=4"}));
  const std::string problem = error_of([&] { draw_candidates({.run = root / "run"}); });
  EXPECT_NE(problem.find("copied whenever it learns"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tarl::inspect
