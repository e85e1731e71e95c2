// SPDX-License-Identifier: MIT
//
// Where frames lie, beside the observations that are gathered of them.
#include "replay/random_play.h"
#include <gtest/gtest.h>

#include "tarl/replay/frame_codec.h"
#include "tarl/replay/storage.h"

namespace {

using namespace replay_test;
using tarl::replay::FramesOfRow;
using tarl::replay::Storage;
namespace rl = tarl::rl;

constexpr int kStack = 4;
constexpr std::size_t kFrameBytes = 35;

// The frames of a storage as somebody has them who copies each when it is stored.
class Copies {
 public:
  explicit Copies(const Storage& storage) : storage_(storage), codec_(kFrameBytes) {}

  void take_newest() { copies_.push_back(unpacked(storage_.kept_frame(storage_.count() - 1))); }

  // Observation and next observation of a slot, put together.
  std::pair<Bytes, Bytes> stacks(std::int64_t slot, bool& terminated) const {
    std::vector<std::int64_t> numbers(kStack);
    FramesOfRow row;
    row.obs = numbers;
    storage_.locate_frames(slot, row);
    terminated = row.terminated;
    Bytes obs;
    for (const std::int64_t number : numbers) append(frame(number), obs);
    if (row.terminated) return {obs, Bytes(obs.size())};
    Bytes last(kFrameBytes);
    if (row.next == FramesOfRow::kLoose) {
      storage_.next_frame(slot, last.data());
    } else {
      last = frame(row.next);
    }
    Bytes next(obs.begin() + kFrameBytes, obs.end());
    append(last, next);
    return {obs, next};
  }

 private:
  static void append(const Bytes& frame, Bytes& to) {
    to.insert(to.end(), frame.begin(), frame.end());
  }

  Bytes unpacked(std::span<const std::byte> kept) const {
    Bytes frame(kFrameBytes);
    if (storage_.packed()) {
      codec_.unpack(kept, frame.data());
    } else {
      std::ranges::copy(kept, frame.begin());
    }
    return frame;
  }

  Bytes frame(std::int64_t number) const {
    if (number == FramesOfRow::kBlack) return Bytes(kFrameBytes);
    EXPECT_GE(number, storage_.first_held());
    EXPECT_LT(number, storage_.count());
    return copies_[static_cast<std::size_t>(number)];
  }

  const Storage& storage_;
  const tarl::replay::FrameCodec codec_;
  std::vector<Bytes> copies_;
};

void expect_frames_of(int lanes, bool packed) {
  const rl::ObsSpec obs{.kind = rl::ObsKind::kBytes,
                        .channels = kStack,
                        .height = 5,
                        .width = 7,
                        .frame_stack = kStack};
  const rl::ActionSpec action{.count = 1000};
  Storage storage(obs, action, 30, lanes, {.packed = packed});
  RandomPlay play(obs, lanes, 0.3, 5);
  Copies copies(storage);
  rl::Batch batch(obs, action, 1);
  for (int step = 0; step < 160; ++step) {
    storage.add(play.next().transition());
    copies.take_newest();
    for (std::int64_t slot = 0; slot < storage.size(); ++slot) {
      storage.gather({&slot, 1}, 1, 0.9, batch);
      bool terminated = false;
      const auto [now, next] = copies.stacks(slot, terminated);
      ASSERT_EQ(now, batch.obs) << "slot " << slot << " after " << step;
      ASSERT_EQ(next, batch.next_obs) << "slot " << slot << " after " << step;
      ASSERT_EQ(terminated, batch.terminal(0));
    }
  }
}

TEST(StorageFrames, AreThoseOfTheObservations) {
  for (const int lanes : {1, 3}) {
    for (const bool packed : {false, true}) expect_frames_of(lanes, packed);
  }
}

}  // namespace
