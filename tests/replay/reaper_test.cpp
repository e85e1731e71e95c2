// SPDX-License-Identifier: MIT
#include "tarl/replay/reaper.h"

#include <cmath>

#include "replay/naive_reaper.h"
#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace {

using replay_test::NaiveReaper;
using tarl::replay::ReaperPriorities;

void expect_weights(const ReaperPriorities& reaper, std::vector<double> expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(reaper.weight(static_cast<std::int64_t>(i)), expected[i], 1e-8) << i;
  }
}

TEST(Reaper, MatchesTheHandComputedEpisode) {
  ReaperPriorities reaper({.alpha = 0.4, .omega = 0.2, .eps = 0.0}, 4, 1);
  for (std::int64_t slot = 0; slot < 4; ++slot) reaper.add(slot, slot == 3);
  reaper.update(std::vector<std::int64_t>{0, 1, 2, 3}, std::vector<double>{0.5, 1, 0.25, 2});
  EXPECT_DOUBLE_EQ(reaper.max_sum(), 3.75);
  EXPECT_NEAR(reaper.details(2).reliability, 0.46666667, 1e-8);
  expect_weights(reaper, {0.50649568, 0.83255321, 0.49314809, 1.31950791});
  reaper.update(std::vector<std::int64_t>{1}, std::vector<double>{0.2});
  EXPECT_DOUBLE_EQ(reaper.details(3).cumulative, 2.95);
  EXPECT_DOUBLE_EQ(reaper.details(0).sum, 2.95);
  expect_weights(reaper, {0.53139517, 0.39397367, 0.4578849, 1.31950791});
}

TEST(Reaper, ARunningEpisodeCountsAgainstTheLargestSum) {
  ReaperPriorities reaper({.alpha = 0.4, .omega = 0.2, .eps = 0.0}, 10, 1);
  for (std::int64_t slot = 0; slot < 6; ++slot) reaper.add(slot, slot == 5);
  EXPECT_DOUBLE_EQ(reaper.max_sum(), 6.0);
  for (std::int64_t slot = 6; slot < 10; ++slot) reaper.add(slot, false);
  EXPECT_DOUBLE_EQ(reaper.weight(9), 1.0);  // reliable until it is touched
  reaper.update(std::vector<std::int64_t>{6, 7, 8, 9}, std::vector<double>{0.5, 0.2, 0.25, 2});
  const double expected[] = {0.46105396, 0.34182306, 0.3972743, 1.14484358};
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_NEAR(reaper.weight(6 + i), expected[i], 1e-8);
}

TEST(Reaper, OfASlotGivenTwiceTheFirstCounts) {
  ReaperPriorities reaper({.alpha = 1.0, .omega = 0.0, .eps = 0.0}, 4, 1);
  reaper.add(0, true);
  reaper.update(std::vector<std::int64_t>{0, 0}, std::vector<double>{3, 4});
  EXPECT_EQ(reaper.details(0).td, 3.0);
}

void expect_same(const ReaperPriorities& reaper, const NaiveReaper& naive, std::int64_t filled,
                 double tolerance) {
  const auto near = [&](double actual, double expected) {
    return std::fabs(actual - expected) <= tolerance * std::fabs(expected);
  };
  ASSERT_TRUE(near(reaper.total(), naive.total())) << reaper.total() << " " << naive.total();
  ASSERT_TRUE(near(reaper.max_td(), naive.max_td()));
  ASSERT_TRUE(near(reaper.max_sum(), naive.max_sum()));
  for (std::int64_t slot = 0; slot < filled; ++slot) {
    const ReaperPriorities::Details details = reaper.details(slot);
    const NaiveReaper::Row& row = naive.row(slot);
    ASSERT_EQ(details.episode, row.episode);
    ASSERT_EQ(details.timestep, row.timestep);
    ASSERT_EQ(details.td, row.td);
    ASSERT_TRUE(near(details.cumulative, row.cumulative)) << slot;
    ASSERT_TRUE(near(details.sum, row.sum)) << slot;
    ASSERT_TRUE(near(reaper.weight(slot), row.weight))
        << slot << ": " << reaper.weight(slot) << " " << row.weight;
  }
}

struct Scenario {
  std::int64_t capacity;
  int lanes;
  double mean_length;
  int operations;
};

// Random inserts and updates, with the draws that a learner would make.
void run_random(const Scenario& scenario, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "capacity " << scenario.capacity << ", lanes "
                                  << scenario.lanes << ", length " << scenario.mean_length);
  tarl::Rng rng = tarl::seeded(seed);
  ReaperPriorities reaper({}, scenario.capacity, scenario.lanes);
  NaiveReaper naive(0.4, 0.2, 1e-6, scenario.capacity, scenario.lanes);
  std::int64_t added = 0;
  for (int operation = 0; operation < scenario.operations; ++operation) {
    for (std::uint32_t k = rng.below(6) + (added == 0); k > 0; --k) {
      const bool done = rng.uniform() < 1.0 / scenario.mean_length;
      reaper.add(added % scenario.capacity, done);
      naive.add(added++ % scenario.capacity, done);
    }
    std::vector<std::int64_t> slots;
    std::vector<double> errors;
    for (std::uint32_t k = rng.below(8); k > 0; --k) {
      const double mass = rng.uniform() * reaper.total();
      slots.push_back(reaper.find(mass).slot);
      if (scenario.lanes == 1) {
        ASSERT_EQ(slots.back(), naive.find(mass));
      }
      errors.push_back(std::exp(rng.normal()) * (rng.uniform() < 0.5 ? -1 : 1));
    }
    reaper.update(slots, errors);
    naive.update(slots, errors);
    if (operation % 25 == 0) {
      expect_same(reaper, naive, std::min(added, scenario.capacity), 1e-9);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Reaper, EqualsRecomputationFromScratch) {
  run_random({400, 1, 60, 10'000}, 1);   // long episodes: whole groups move at once
  run_random({400, 1, 1000, 3'000}, 2);  // longer than the buffer
  run_random({100, 1, 4, 3'000}, 3);     // shorter than a group
  run_random({1, 1, 3, 500}, 4);
  run_random({33, 1, 20, 3'000}, 5);
  run_random({390, 3, 70, 10'000}, 6);
  run_random({6, 3, 5, 2'000}, 7);
  run_random({3, 3, 4, 2'000}, 8);
}

TEST(Reaper, ReliabilityHasALeastValue) {
  // The first error is nearly nothing beside the rest: C / S is below 1e-8.
  constexpr std::int64_t kLength = 80;
  ReaperPriorities reaper({}, 100, 1);
  NaiveReaper naive(0.4, 0.2, 1e-6, 100, 1);
  std::vector<std::int64_t> slots;
  std::vector<double> errors;
  for (std::int64_t slot = 0; slot < kLength; ++slot) {
    reaper.add(slot, slot == kLength - 1);
    naive.add(slot, slot == kLength - 1);
    slots.push_back(slot);
    errors.push_back(slot < 40 ? 0.0 : 1e6);
  }
  reaper.update(slots, errors);
  naive.update(slots, errors);
  EXPECT_EQ(reaper.details(0).reliability, 1e-8);
  EXPECT_NEAR(reaper.weight(0), naive.row(0).weight, 1e-9 * naive.row(0).weight);
  EXPECT_NEAR(reaper.total(), naive.total(), 1e-9 * naive.total());
  // And it stops biting when the rest shrinks.
  for (std::size_t i = 40; i < errors.size(); ++i) errors[i] = 1;
  reaper.update(slots, errors);
  naive.update(slots, errors);
  EXPECT_NEAR(reaper.total(), naive.total(), 1e-9 * naive.total());
}

TEST(Reaper, ContinuesToTheBitAfterSaveAndLoad) {
  for (const int lanes : {1, 3}) {
    for (const int before : {0, 5, 150, 700}) {
      tarl::Rng rng = tarl::seeded(9);
      ReaperPriorities reaper({}, 300, lanes), restored({}, 300, lanes);
      std::int64_t added = 0;
      const auto step = [&](std::vector<ReaperPriorities*> all) {
        const bool done = rng.uniform() < 0.01;
        for (ReaperPriorities* one : all) one->add(added % 300, done);
        ++added;
        std::vector<std::int64_t> slots;
        std::vector<double> errors;
        for (int k = 0; k < 5; ++k) {
          const double mass = rng.uniform() * all[0]->total();
          for (ReaperPriorities* one : all) {
            ASSERT_EQ(one->find(mass).slot, all[0]->find(mass).slot);
            ASSERT_EQ(one->find(mass).weight, all[0]->find(mass).weight);
            ASSERT_EQ(one->total(), all[0]->total());
          }
          slots.push_back(all[0]->find(mass).slot);
          errors.push_back(std::fabs(rng.normal()));
        }
        for (ReaperPriorities* one : all) one->update(slots, errors);
      };
      for (int k = 0; k < before; ++k) step({&reaper});
      tarl::Tensors file;
      tarl::StateWriter out(file);
      reaper.save(out);
      restored.load(tarl::StateReader(file, "test"));
      for (int k = 0; k < 700; ++k) {
        step({&reaper, &restored});
        if (HasFatalFailure()) return;
      }
      EXPECT_EQ(reaper.max_sum(), restored.max_sum());
    }
  }
}

TEST(Reaper, SavesOnlyWhatIsFilled) {
  ReaperPriorities reaper({}, 100'000, 1);
  for (std::int64_t slot = 0; slot < 10; ++slot) reaper.add(slot, false);
  tarl::Tensors file;
  tarl::StateWriter out(file);
  reaper.save(out);
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : file) bytes += tensor.bytes.size();
  EXPECT_LT(bytes, 500'000U);
}

}  // namespace
