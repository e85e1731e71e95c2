// SPDX-License-Identifier: MIT
#include "tarl/replay/storage.h"

#include <map>

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
  bool packed = false;
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
      out.push_back({frames(4, 5), discrete(5), 30, lanes, n_steps, true});
    }
  }
  return out;
}

TEST(Storage, HoldsWhatANaiveReplayWouldHold) {
  for (const Shape& shape : shapes()) {
    for (const double end_chance : {0.02, 0.3, 1.0}) {
      Storage storage(shape.obs, shape.action, shape.capacity, shape.lanes,
                      {.packed = shape.packed});
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

tarl::Tensors saved(const Storage& storage) {
  tarl::Tensors file;
  tarl::StateWriter out(file);
  storage.save(out);
  return file;
}

// SegmentedRows by number, as they fill.
using Written = std::map<std::int64_t, tarl::Tensors>;

void write_sealed(const Storage& storage, Written& written) {
  const rl::SegmentRange sealed = storage.sealed();
  for (std::int64_t segment = sealed.first; segment < sealed.last; ++segment) {
    if (written.contains(segment)) continue;
    tarl::StateWriter out(written[segment]);
    storage.save_segment(segment, out);
  }
}

void load(const tarl::Tensors& file, const Written& written, Storage& storage) {
  storage.load(tarl::StateReader(file, "state"));
  const rl::SegmentRange sealed = storage.sealed();
  for (std::int64_t segment = sealed.last; segment-- > sealed.first;) {
    storage.load_segment(tarl::StateReader(written.at(segment), "segment"));
  }
}

// Small enough for several segments in each of the shapes, and too large for any.
constexpr std::size_t kSegmentSizes[] = {64, 300, Storage::Options{}.segment_bytes};

TEST(Storage, ContinuesExactlyAfterSaveAndLoad) {
  for (const Shape& shape : shapes()) {
    for (const std::size_t segment_bytes : kSegmentSizes) {
      for (const int filled : {0, 1, 17, 32, 95}) {
        const auto make = [&] {
          return Storage(shape.obs, shape.action, shape.capacity, shape.lanes,
                         {.segment_bytes = segment_bytes, .packed = shape.packed});
        };
        Storage storage = make(), restored = make();
        RandomPlay play(shape.obs, shape.lanes, 0.3, 11);
        std::vector<Played> played;
        Written written;
        for (int step = 0; step < filled; ++step) {
          played.push_back(play.next());
          storage.add(played.back().transition());
          write_sealed(storage, written);
        }
        const tarl::Tensors file = saved(storage);
        load(file, written, restored);
        EXPECT_EQ(restored.memory_bytes(), storage.memory_bytes());
        const tarl::Tensors again = saved(restored);
        for (const auto& [name, tensor] : file) EXPECT_EQ(tensor.bytes, again.at(name).bytes);
        for (int step = 0; step < 50; ++step) {
          played.push_back(play.next());
          restored.add(played.back().transition());
          expect_all_rows(restored, played, shape);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Storage, ASegmentSavedLateHoldsWhatIsLeftOfIt) {
  const Shape shape{frames(4, 3), discrete(5), 30, 3, 3};
  Storage storage(shape.obs, shape.action, shape.capacity, shape.lanes, {.segment_bytes = 150});
  Storage restored(shape.obs, shape.action, shape.capacity, shape.lanes, {.segment_bytes = 150});
  RandomPlay play(shape.obs, shape.lanes, 0.3, 3);
  std::vector<Played> played;
  for (int step = 0; step < 101; ++step) {
    played.push_back(play.next());
    storage.add(played.back().transition());
  }
  Written written;
  write_sealed(storage, written);
  // 18 bytes a row, so 8 rows a segment; the ring of 39 rows begins with row 62.
  EXPECT_EQ(written.begin()->first, 7);
  EXPECT_EQ(written.at(7).at("first").as<std::int64_t>()[0], 62);
  EXPECT_EQ(written.at(8).at("first").as<std::int64_t>()[0], 64);
  load(saved(storage), written, restored);
  expect_all_rows(restored, played, shape);
}

TEST(Storage, HoldsSmallMemoriesTogether) {
  Storage storage(bits(4, 10), discrete(3), 100'000, 1);
  RandomPlay play(bits(4, 10), 1, 0.1, 5);
  const Played first = play.next();
  storage.add(first.transition());
  EXPECT_EQ(storage.sealed().last, 0);
  tarl::Tensors rows;
  tarl::StateWriter out(rows);
  EXPECT_THROW(storage.save_segment(0, out), std::logic_error);
}

TEST(Storage, GathersTheSameRowsWithATeam) {
  const auto obs = frames(4, 84);
  tarl::Team team(3);
  for (const bool packed : {false, true}) {
    Storage together(obs, discrete(3), 50, 1, Storage::Options{.packed = packed, .team = &team});
    Storage alone(obs, discrete(3), 50, 1, Storage::Options{.packed = packed});
    RandomPlay play(obs, 1, 0.1, 5);
    for (int step = 0; step < 70; ++step) {
      const Played played = play.next();
      together.add(played.transition());
      alone.add(played.transition());
    }
    std::vector<std::int64_t> slots;
    for (int i = 0; i < 27; ++i) slots.push_back(i * 19 % 50);
    tarl::rl::Batch a(obs, discrete(3), 27), b(obs, discrete(3), 27);
    together.gather(slots, 2, 0.9, a);
    alone.gather(slots, 2, 0.9, b);
    EXPECT_TRUE(a.obs == b.obs && a.next_obs == b.next_obs);
    EXPECT_TRUE(a.action_index == b.action_index && a.reward == b.reward);
    EXPECT_EQ(a.discount, b.discount);
    slots.back() = 50;
    EXPECT_THROW(together.gather(slots, 2, 0.9, a), std::logic_error);
  }
}

TEST(Storage, RefusesPackedFramesThatAreDamaged) {
  const auto make = [] {
    return Storage(frames(4, 5), discrete(3), 30, 1, Storage::Options{.packed = true});
  };
  Storage storage = make(), other = make();
  RandomPlay play(frames(4, 5), 1, 0.1, 5);
  for (int step = 0; step < 20; ++step) storage.add(play.next().transition());
  tarl::Tensors file = saved(storage);
  other.load(tarl::StateReader(file, "test"));
  file.at("tail/frames").bytes[0] ^= std::byte{1};
  EXPECT_THROW(other.load(tarl::StateReader(file, "test")), tarl::Error);
}

TEST(Storage, RefusesRowsItCannotHold) {
  Storage storage(bits(4, 10), discrete(3), 30, 1);
  tarl::Tensors file = saved(storage);
  for (const auto& [first, last] : {std::pair{-1, 0}, {3, 2}, {0, 1}}) {
    tarl::StateWriter tail(file, "tail/");
    tail.put("first", std::int64_t{first});
    tail.put("last", std::int64_t{last});
    EXPECT_THROW(storage.load(tarl::StateReader(file, "test")), tarl::Error);
  }
}

TEST(Storage, RefusesAReplayOfAnotherShape) {
  const tarl::Tensors file = saved(Storage(bits(4, 10), discrete(3), 30, 1));
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
