// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/agent_view.cuh"
#include "tarl/fleet/cuda/ptx.cuh"

// replay::Storage for one lane: transition n lies in slot n % capacity, its next observation is
// that of n + 1.
namespace tarl::fleet {

inline constexpr std::uint8_t kTerminated = 1;
inline constexpr std::uint8_t kFirst = 4;  // of its episode

// Slots in use once so many transitions were stored.
__device__ inline std::int64_t filled(const AgentSpec& spec, std::int64_t stored) {
  return stored < spec.capacity ? stored : spec.capacity;
}

__device__ inline void copy_obs(const AgentSpec& spec, const std::byte* from, std::byte* to,
                                int first, int stride) {
  const auto* source = reinterpret_cast<const std::uint64_t*>(from);
  auto* target = reinterpret_cast<std::uint64_t*>(to);
  for (int i = first; i < spec.obs_bytes / 8; i += stride) target[i] = source[i];
}

// One warp stores the head's transition and returns its slot to all lanes.
__device__ inline std::int64_t store_transition(const AgentSpec& spec, const AgentView& view,
                                                AgentHead& head) {
  const std::int64_t slot = remainder_of(head.stored, spec.capacity);
  const std::int64_t before = slot > 0 ? slot - 1 : spec.capacity - 1;
  const bool leads = ptx::cluster_rank() == 0;
  if (leads) copy_obs(spec, head.obs, view.frames + slot * spec.obs_bytes, lane_id(), 32);
  copy_obs(spec, head.next_obs, head.newest_next, lane_id(), 32);
  __syncwarp();  // every lane knows the slot before it is counted
  if (lane_id() == 0) {
    if (leads) {
      const bool first = head.stored == 0 || (view.flags[before] & kTerminated) != 0;
      view.action[slot] = head.action;
      view.reward[slot] = head.reward;
      view.flags[slot] =
          static_cast<std::uint8_t>((head.terminal != 0 ? kTerminated : 0) | (first ? kFirst : 0));
    }
    ++head.stored;
  }
  __syncwarp();
  return slot;
}

// The slot of the transition after one, which has its next observation.
__device__ inline std::int64_t slot_after(const AgentSpec& spec, std::int64_t slot) {
  return slot + 1 == spec.capacity ? 0 : slot + 1;
}

__device__ inline float discount_of(const AgentSpec& spec, bool over) {
  return over ? 0.0F : static_cast<float>(spec.gamma);
}

// Rows of boards of the candidates.
struct BoardRows {
  std::byte *obs, *next_obs;
  int row_bytes;
};

// Eight bytes of a board, from the device's memory. To shared memory they go by themselves: nobody
// waits for one before asking for the next.
template <bool kToShared>
__device__ inline void copy_word(const std::byte* from, std::byte* to) {
  if constexpr (kToShared) {
    ptx::copy_word(ptx::shared_address(to), from);
  } else {
    *reinterpret_cast<std::uint64_t*>(to) = *reinterpret_cast<const std::uint64_t*>(from);
  }
}

// Thread `me` of a team copies its share of the drawn transitions, where so many are stored: boards
// to `to`, the rest to shared memory. After a true end the next board may be any: it counts
// nothing. With `plays` the newest transition is still being played, and it is left out.
template <bool kToShared>
static __device__ __noinline__ void gather(const AgentSpec& spec, const AgentView& view, Shared& s,
                                           const BoardRows& to, std::int64_t stored, bool plays,
                                           int me, int team) {
  const std::byte* frames = ptx::global(view.frames);
  const std::int64_t newest = remainder_of(stored - 1, spec.capacity);
  const auto words = static_cast<unsigned>(spec.obs_bytes) / 8;
  const unsigned over_words = 65536 / words + 1;  // i / words = i * over_words / 65536, i < 4369
  static_assert(kMaxCandidates * kMaxObsBytes / 8 < 65536 / (kMaxObsBytes / 8 - 1));
#pragma unroll 2
  for (auto i = static_cast<unsigned>(me); i < static_cast<unsigned>(spec.candidates) * words;
       i += static_cast<unsigned>(team)) {
    const unsigned row = i * over_words / 65536, word = (i - row * words) * 8;
    const std::int64_t slot = s.index[row];
    const std::int64_t next = slot_after(spec, slot);
    const unsigned at = row * static_cast<unsigned>(to.row_bytes) + word;
    if (!plays || slot != newest) {
      copy_word<kToShared>(frames + slot * spec.obs_bytes + word, to.obs + at);
    }
    if (slot != newest && !(plays && next == newest)) {
      copy_word<kToShared>(frames + next * spec.obs_bytes + word, to.next_obs + at);
    } else if (!plays) {
      *reinterpret_cast<std::uint64_t*>(to.next_obs + at) =
          *reinterpret_cast<const std::uint64_t*>(s.head.newest_next + word);
    }
  }
  for (int row = me; row < spec.candidates; row += team) {
    const std::int64_t slot = s.index[row];
    if (plays && slot == newest) continue;
    const std::int32_t action = ptx::global(view.action)[slot];
    const float reward = ptx::global(view.reward)[slot];
    const bool over = (ptx::global(view.flags)[slot] & kTerminated) != 0;
    s.action[row] = action;
    s.reward[row] = reward;
    s.discount[row] = discount_of(spec, over);
  }
  if constexpr (kToShared) ptx::wait_for_words();
}

// One warp adds what gather() left out; the observation that was acted on is still in place.
__device__ inline void gather_newest(const AgentSpec& spec, Shared& s, const BoardRows& to) {
  const std::int64_t newest = remainder_of(s.head.stored - 1, spec.capacity);
  for (int row = lane_id(); row < spec.candidates; row += 32) {
    const std::int64_t slot = s.index[row];
    std::byte* next_obs = to.next_obs + row * to.row_bytes;
    if (slot_after(spec, slot) == newest) copy_obs(spec, s.act_obs[0], next_obs, 0, 1);
    if (slot != newest) continue;
    copy_obs(spec, s.act_obs[0], to.obs + row * to.row_bytes, 0, 1);
    copy_obs(spec, s.head.newest_next, next_obs, 0, 1);
    s.action[row] = s.head.action;
    s.reward[row] = s.head.reward;
    s.discount[row] = discount_of(spec, s.head.terminal != 0);
  }
  __syncwarp();
}

}  // namespace tarl::fleet
