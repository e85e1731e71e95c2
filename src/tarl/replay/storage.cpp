// SPDX-License-Identifier: MIT
#include "tarl/replay/storage.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "tarl/replay/row_flags.h"

namespace tarl::replay {

namespace {

constexpr std::uint8_t kDone = kTerminated | kTruncated;

// From this many bytes of observations on, waking the team pays off; rows are split as agents read
// them.
constexpr std::size_t kBytesForTeam = std::size_t{512} << 10;
constexpr int kRowGrain = 8;

// Bits of several frames share words, so bit-packed observations are stored whole.
int frames_of(const rl::ObsSpec& obs) {
  return obs.kind == rl::ObsKind::kBits ? 1 : obs.frame_stack;
}

std::int64_t rounded_capacity(std::int64_t capacity, int lanes) {
  require(lanes > 0, "replay needs an environment");
  if (capacity < lanes) {
    throw UsageError("buffer_size = " + std::to_string(capacity) + " is less than the " +
                     std::to_string(lanes) +
                     " environments that fill it; use a larger buffer_size");
  }
  // Slots are drawn with 32 random bits.
  if (capacity > std::numeric_limits<std::uint32_t>::max()) {
    throw UsageError("buffer_size = " + std::to_string(capacity) + " is more than the 4294967295 " +
                     "transitions a replay can hold; use a smaller buffer_size");
  }
  return capacity / lanes * lanes;
}

double row_bytes(const rl::ObsSpec& obs, const rl::ActionSpec& action) {
  const double action_bytes =
      action.discrete() ? sizeof(std::int32_t) : sizeof(float) * static_cast<double>(action.size);
  return static_cast<double>(obs.bytes()) / frames_of(obs) + action_bytes + sizeof(float) + 1;
}

// A power of two, so that segments begin at round numbers.
std::int64_t rows_of_a_segment(std::size_t segment_bytes, double bytes_of_a_row,
                               std::int64_t ring) {
  const double fitting = std::max(1.0, static_cast<double>(segment_bytes) / bytes_of_a_row);
  const auto rows = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(fitting)));
  const bool large =
      bytes_of_a_row * static_cast<double>(ring) >= 2.0 * static_cast<double>(segment_bytes);
  return large ? rows : 0;
}

}  // namespace

Storage::Storage(const rl::ObsSpec& obs, const rl::ActionSpec& action, std::int64_t capacity,
                 int lanes, const Options& options)
    : capacity_(rounded_capacity(capacity, lanes)),
      lanes_(lanes),
      stack_(frames_of(obs)),
      frame_bytes_(obs.bytes() / static_cast<std::size_t>(stack_)),
      action_size_(action.discrete() ? 0 : action.size),
      ring_(capacity_ + std::int64_t{stack_ - 1} * lanes),
      segment_rows_(rows_of_a_segment(options.segment_bytes, row_bytes(obs, action), ring_)),
      team_(options.team),
      frames_(ring_, frame_bytes_, options.packed),
      action_index_(action.discrete() ? ring_ : 0),
      action_(ring_ * action_size_),
      reward_(ring_),
      flags_(ring_),
      newest_next_(static_cast<std::size_t>(lanes) * frame_bytes_) {
  require(obs.bytes() % static_cast<std::size_t>(stack_) == 0, "frames of unequal size");
  require(!options.packed || obs.kind == rl::ObsKind::kBytes, "only pictures can be packed");
}

double Storage::bytes_needed(const rl::ObsSpec& obs, const rl::ActionSpec& action,
                             std::int64_t capacity, int lanes) {
  const double stack = frames_of(obs);
  const double rows = static_cast<double>(capacity) + (stack - 1) * lanes;
  return rows * row_bytes(obs, action) + lanes * static_cast<double>(obs.bytes()) / stack;
}

std::size_t Storage::memory_bytes() const {
  return frames_.memory_bytes() + action_index_.bytes() + action_.bytes() + reward_.bytes() +
         flags_.bytes() + newest_next_.size() + finals_.size() * (sizeof(Final) + frame_bytes_);
}

std::int64_t Storage::add(const rl::Transition& transition, std::span<const std::byte> packed) {
  const std::int64_t lane = count_ % lanes_;
  const std::size_t obs_bytes = frame_bytes_ * static_cast<std::size_t>(stack_);
  require(transition.lane == lane, "lanes must be added in turn");
  require(transition.obs.size() == obs_bytes && transition.next_obs.size() == obs_bytes,
          "observation of another size");
  const std::byte* newest = transition.obs.data() + obs_bytes - frame_bytes_;
  const std::byte* next = transition.next_obs.data() + obs_bytes - frame_bytes_;
  std::byte* newest_next = newest_next_.data() + static_cast<std::size_t>(lane) * frame_bytes_;

  const bool first = count_ < lanes_ || (flags(count_ - lanes_) & kDone) != 0;
  require(first || std::memcmp(newest, newest_next, frame_bytes_) == 0,
          "an episode must go on with the observation its last step ended with");

  const std::int64_t row = place(count_);
  frames_.put(count_, newest, packed);
  std::memcpy(newest_next, next, frame_bytes_);
  if (action_size_ == 0) {
    action_index_[row] = transition.action.index;
  } else {
    std::copy_n(transition.action.values.begin(), action_size_, &action_[row * action_size_]);
  }
  reward_[row] = transition.reward;
  flags_[row] =
      static_cast<std::uint8_t>((transition.terminated ? kTerminated : 0) |
                                (transition.truncated ? kTruncated : 0) | (first ? kFirst : 0));
  if (transition.truncated && !transition.terminated) {
    finals_.push_back({count_, std::vector<std::byte>(next, next + frame_bytes_)});
  }
  ++count_;
  while (!finals_.empty() && finals_.front().number < count_ - capacity_) finals_.pop_front();
  return (count_ - 1) % capacity_;
}

void Storage::truncate(int lane) {
  require(count_ % lanes_ == 0, "lanes must be added in turn");
  const std::int64_t number = count_ - lanes_ + lane;
  if (number < 0 || (flags(number) & kDone) != 0) return;
  const auto frame = newest_next_.begin() +
                     static_cast<std::ptrdiff_t>(lane) * static_cast<std::ptrdiff_t>(frame_bytes_);
  late_.push_back({number, {frame, frame + static_cast<std::ptrdiff_t>(frame_bytes_)}});
  mark_truncated(late_.back());
  while (late_.front().number < first_held()) late_.pop_front();
}

void Storage::mark_truncated(const Final& last) {
  std::uint8_t& flags = flags_[place(last.number)];
  if ((flags & kTruncated) != 0) return;
  flags |= kTruncated;
  const auto at = std::find_if(finals_.begin(), finals_.end(),
                               [&](const Final& entry) { return entry.number >= last.number; });
  finals_.insert(at, last);
}

std::int64_t Storage::number_in(std::int64_t slot) const {
  const std::int64_t newest = count_ - 1;
  return newest - (newest - slot) % capacity_;
}

// The last `frames` frames up to that of `number`, oldest first, zeros before the episode's first.
void Storage::copy_frames(std::int64_t number, int frames, std::byte* out) const {
  for (int k = frames - 1; k >= 0; --k, number -= lanes_) {
    frames_.copy(number, out + static_cast<std::size_t>(k) * frame_bytes_);
    if ((flags(number) & kFirst) != 0) {
      std::memset(out, 0, static_cast<std::size_t>(k) * frame_bytes_);
      return;
    }
  }
}

// The frame after a transition that did not terminate.
void Storage::copy_next_frame(std::int64_t number, std::byte* out) const {
  const std::byte* from =
      newest_next_.data() + static_cast<std::size_t>(number % lanes_) * frame_bytes_;
  if ((flags(number) & kTruncated) != 0) {
    const auto it =
        std::lower_bound(finals_.begin(), finals_.end(), number,
                         [](const Final& entry, std::int64_t n) { return entry.number < n; });
    require(it != finals_.end() && it->number == number, "a final observation is missing");
    from = it->frame.data();
  } else if (number + lanes_ < count_) {
    frames_.copy(number + lanes_, out);
    return;
  }
  std::memcpy(out, from, frame_bytes_);
}

void Storage::gather_row(std::int64_t number, int n_steps, double gamma, int row,
                         rl::Batch& out) const {
  const std::size_t r = static_cast<std::size_t>(row);
  const std::int64_t from = place(number);
  std::byte* obs = out.obs.data() + r * out.obs_bytes;
  std::byte* next_obs = out.next_obs.data() + r * out.obs_bytes;
  copy_frames(number, stack_, obs);
  if (action_size_ == 0) {
    out.action_index[r] = action_index_[from];
  } else {
    std::copy_n(&action_[from * action_size_], action_size_,
                out.action.begin() + std::int64_t{row} * action_size_);
  }
  double reward = reward_[from];
  double discount = gamma;
  std::int64_t last = number;
  for (int step = 1; step < n_steps; ++step) {
    if ((flags(last) & kDone) != 0 || last + lanes_ >= count_) break;
    last += lanes_;
    reward += discount * static_cast<double>(reward_[place(last)]);
    discount *= gamma;
  }
  out.reward[r] = static_cast<float>(reward);
  out.discount[r] = (flags(last) & kTerminated) != 0 ? 0.0F : static_cast<float>(discount);
  if ((flags(last) & kTerminated) != 0) {
    std::memset(next_obs, 0, out.obs_bytes);
    return;
  }
  const std::size_t older = out.obs_bytes - frame_bytes_;
  if (last == number) {
    std::memcpy(next_obs, obs + frame_bytes_, older);  // they share all frames but one
  } else {
    copy_frames(last, stack_ - 1, next_obs);
  }
  copy_next_frame(last, next_obs + older);
}

void Storage::gather(std::span<const std::int64_t> slots, int n_steps, double gamma,
                     rl::Batch& out) const {
  require(slots.size() <= out.reward.size(), "the batch is too small");
  require(out.obs_bytes == frame_bytes_ * static_cast<std::size_t>(stack_) &&
              out.action_size == action_size_,
          "the batch has another shape");
  out.rows = static_cast<int>(slots.size());
  if (team_ == nullptr || slots.size() * out.obs_bytes < kBytesForTeam) {
    gather_rows(slots, n_steps, gamma, {0, out.rows}, out);
    return;
  }
  team_->run([&](int rank) {
    gather_rows(slots, n_steps, gamma, share(out.rows, rank, team_->size(), kRowGrain), out);
  });
}

void Storage::gather_rows(std::span<const std::int64_t> slots, int n_steps, double gamma,
                          Range rows, rl::Batch& out) const {
  for (int row = rows.begin; row < rows.end; ++row) {
    const std::int64_t slot = slots[static_cast<std::size_t>(row)];
    require(slot >= 0 && slot < size(), "the slot is not filled");
    gather_row(number_in(slot), n_steps, gamma, row, out);
  }
}

}  // namespace tarl::replay
