// SPDX-License-Identifier: MIT
#include "tarl/replay/storage.h"

#include "replay/random_play.h"
#include <gtest/gtest.h>

namespace {

using namespace replay_test;
using tarl::replay::Storage;
namespace rl = tarl::rl;

struct Shape {
  rl::ObsSpec obs;
  rl::ActionSpec action;
  std::int64_t capacity;
  int lanes;
  int n_steps;
};

constexpr double kGamma = 0.97;

// What row `slot` must look like, from the full list of everything played.
void expect_row(const std::vector<Played>& played, const Shape& shape, std::int64_t slot,
                const rl::Batch& batch, int row) {
  const std::int64_t count = std::ssize(played);
  std::int64_t n = count - 1;
  while (n % shape.capacity != slot) --n;
  const Played& start = played[n];
  double reward = start.reward, discount = kGamma;
  std::int64_t last = n;
  for (int step = 1; step < shape.n_steps; ++step) {
    if (played[last].terminated || played[last].truncated) break;
    if (last + shape.lanes >= count) break;
    last += shape.lanes;
    reward += discount * static_cast<double>(played[last].reward);
    discount *= kGamma;
  }
  const Played& end = played[last];
  const Bytes next = end.terminated ? Bytes(end.next_obs.size()) : end.next_obs;
  const std::size_t bytes = start.obs.size();
  ASSERT_EQ(std::memcmp(batch.obs_row(row), start.obs.data(), bytes), 0) << "obs of " << n;
  ASSERT_EQ(std::memcmp(batch.next_obs_row(row), next.data(), bytes), 0) << "next_obs of " << n;
  ASSERT_EQ(batch.reward[row], static_cast<float>(reward));
  ASSERT_EQ(batch.discount[row], end.terminated ? 0.0F : static_cast<float>(discount));
  if (shape.action.discrete()) {
    ASSERT_EQ(batch.action_index[row], start.action.index);
  } else {
    for (int k = 0; k < shape.action.size; ++k) {
      ASSERT_EQ(batch.action[row * shape.action.size + k], start.action.values[k]);
    }
  }
}

void expect_all_rows(const Storage& storage, const std::vector<Played>& played,
                     const Shape& shape) {
  std::vector<std::int64_t> slots(storage.size());
  for (std::int64_t slot = 0; slot < storage.size(); ++slot) slots[slot] = slot;
  rl::Batch batch(shape.obs, shape.action, static_cast<int>(storage.size()));
  storage.gather(slots, shape.n_steps, kGamma, batch);
  ASSERT_EQ(batch.rows, storage.size());
  for (std::int64_t slot : slots) {
    expect_row(played, shape, slot, batch, static_cast<int>(slot));
    if (testing::Test::HasFatalFailure()) return;
  }
}

std::vector<Shape> shapes() {
  std::vector<Shape> out;
  for (const int lanes : {1, 3}) {
    for (const int n_steps : {1, 3}) {
      out.push_back({bits(4, 10), discrete(5), 30, lanes, n_steps});
      out.push_back({frames(4, 3), discrete(5), 30, lanes, n_steps});
      out.push_back({floats(11), continuous(3), 30, lanes, n_steps});
      out.push_back({frames(4, 3), continuous(2), lanes, lanes, n_steps});
    }
  }
  return out;
}

TEST(Storage, HoldsWhatANaiveReplayWouldHold) {
  for (const Shape& shape : shapes()) {
    for (const double end_chance : {0.02, 0.3, 1.0}) {
      Storage storage(shape.obs, shape.action, shape.capacity, shape.lanes);
      RandomPlay play(shape.obs, shape.lanes, end_chance, 7);
      std::vector<Played> played;
      for (int step = 0; step < 160; ++step) {
        played.push_back(play.next());
        EXPECT_EQ(storage.add(played.back().transition()), step % shape.capacity);
        expect_all_rows(storage, played, shape);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Storage, RoundsItsCapacityToTheLanes) {
  EXPECT_EQ(Storage(bits(4, 10), discrete(3), 32, 3).capacity(), 30);
  EXPECT_THROW(Storage(bits(4, 10), discrete(3), 2, 3), tarl::UsageError);
  EXPECT_THROW(Storage(bits(4, 10), discrete(3), std::int64_t{1} << 32, 1), tarl::UsageError);
}

TEST(Storage, ContinuesExactlyAfterSaveAndLoad) {
  for (const Shape& shape : shapes()) {
    for (const int filled : {0, 1, 17, 95}) {
      Storage storage(shape.obs, shape.action, shape.capacity, shape.lanes);
      RandomPlay play(shape.obs, shape.lanes, 0.3, 11);
      std::vector<Played> played;
      const auto add = [&](Storage& to) { to.add(played.back().transition()); };
      for (int step = 0; step < filled; ++step) {
        played.push_back(play.next());
        add(storage);
      }
      tarl::Tensors file;
      tarl::StateWriter out(file);
      storage.save(out);
      Storage restored(shape.obs, shape.action, shape.capacity, shape.lanes);
      restored.load(tarl::StateReader(file, "test"));
      tarl::Tensors again;
      tarl::StateWriter out_again(again);
      restored.save(out_again);
      for (const auto& [name, tensor] : file) EXPECT_EQ(tensor.bytes, again.at(name).bytes);
      for (int step = 0; step < 50; ++step) {
        played.push_back(play.next());
        add(restored);
        expect_all_rows(restored, played, shape);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Storage, RowsSavedOnceStillServeWhenTheRingHasMovedOn) {
  const Shape shape{frames(4, 3), discrete(5), 30, 3, 3};
  Storage storage(shape.obs, shape.action, shape.capacity, shape.lanes);
  RandomPlay play(shape.obs, shape.lanes, 0.3, 3);
  std::vector<Played> played;
  std::vector<tarl::Tensors> segments;
  for (int step = 0; step < 100; ++step) {
    played.push_back(play.next());
    storage.add(played.back().transition());
    if (storage.count() % 10 == 0) {
      tarl::StateWriter out(segments.emplace_back());
      storage.save_rows(storage.count() - 10, storage.count(), out);
    }
  }
  tarl::Tensors head;
  tarl::StateWriter out(head);
  storage.save_head(out);
  Storage restored(shape.obs, shape.action, shape.capacity, shape.lanes);
  restored.load_head(tarl::StateReader(head, "head"));
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const std::int64_t first = static_cast<std::int64_t>(k) * 10;
    restored.load_rows(first, first + 10, tarl::StateReader(segments[k], "segment"));
  }
  expect_all_rows(restored, played, shape);
  EXPECT_EQ(restored.memory_bytes(), storage.memory_bytes());
}

TEST(Storage, RefusesAReplayOfAnotherShape) {
  Storage storage(bits(4, 10), discrete(3), 30, 1);
  tarl::Tensors file;
  tarl::StateWriter out(file);
  storage.save(out);
  Storage larger(bits(4, 10), discrete(3), 40, 1);
  EXPECT_THROW(larger.load(tarl::StateReader(file, "test")), tarl::Error);
}

TEST(Storage, RefusesBrokenContracts) {
  Storage storage(bits(4, 10), discrete(3), 30, 2);
  RandomPlay play(bits(4, 10), 2, 0.0, 5);
  Played first = play.next(), second = play.next(), third = play.next();
  EXPECT_THROW(storage.add(second.transition()), std::logic_error);  // lane 1 before lane 0
  storage.add(first.transition());
  storage.add(second.transition());
  third.obs[0] ^= std::byte{1};
  EXPECT_THROW(storage.add(third.transition()), std::logic_error);  // a gap in the episode
  rl::Batch batch(bits(4, 10), discrete(3), 1);
  const std::vector<std::int64_t> beyond = {2};
  EXPECT_THROW(storage.gather(beyond, 1, 0.9, batch), std::logic_error);
}

TEST(Storage, FreesFinalObservationsWithTheirTransitions) {
  Storage storage(floats(8), continuous(1), 10, 1);
  RandomPlay play(floats(8), 1, 1.0, 5);
  std::size_t largest = 0;
  for (int step = 0; step < 200; ++step) {
    storage.add(play.next().transition());
    largest = std::max(largest, storage.memory_bytes());
  }
  const double empty = Storage::bytes_needed(floats(8), continuous(1), 10, 1);
  EXPECT_LE(static_cast<double>(largest), empty + 10 * (32 + 32));
}

TEST(Storage, FitsTheMemoryItWasPlannedFor) {
  const Storage asterix(bits(4, 10), discrete(5), 100'000, 1);
  EXPECT_LE(asterix.memory_bytes(), 12'000'000U);
  const Storage atari(frames(4, 84), discrete(18), 1'000'000, 1);
  EXPECT_LE(atari.memory_bytes(), 7'300'000'000U);
  const Storage humanoid(floats(376), continuous(17), 1'000'000, 1);
  EXPECT_LE(humanoid.memory_bytes(), 1'700'000'000U);
  EXPECT_EQ(static_cast<double>(atari.memory_bytes()),
            Storage::bytes_needed(frames(4, 84), discrete(18), 1'000'000, 1));
}

}  // namespace
