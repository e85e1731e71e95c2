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

// Where the next observation of a slot is; after a true end it is all zeros instead.
__device__ inline const std::byte* next_obs_of(const AgentSpec& spec, const AgentView& view,
                                               const AgentHead& head, std::int64_t slot,
                                               std::int64_t newest) {
  if (slot == newest) return head.newest_next;
  return view.frames + (slot + 1 == spec.capacity ? 0 : slot + 1) * spec.obs_bytes;
}

// Rows of boards of the candidates.
struct BoardRows {
  std::byte *obs, *next_obs;
  int row_bytes;
};

// Thread `me` of a team copies its share of the drawn transitions: boards to `to`, the rest to
// shared memory.
static __device__ __noinline__ void gather(const AgentSpec& spec, const AgentView& view, Shared& s,
                                           const BoardRows& to, int me, int team) {
  // The last threads take what is not board, the first the boards.
  for (int row = team - 1 - me; row < spec.candidates; row += team) {
    const std::int64_t slot = s.index[row];
    const std::int32_t action = ptx::global(view.action)[slot];
    const float reward = ptx::global(view.reward)[slot];
    const bool over = (ptx::global(view.flags)[slot] & kTerminated) != 0;
    s.action[row] = action;
    s.reward[row] = reward;
    s.discount[row] = over ? 0.0F : static_cast<float>(spec.gamma);
  }
  // All loads are on their way at once: nothing here waits for the flags to know an address.
  const std::int64_t newest = remainder_of(s.head.stored - 1, spec.capacity);
  const auto words = static_cast<unsigned>(spec.obs_bytes) / 8;
#pragma unroll 4
  for (auto i = static_cast<unsigned>(me); i < static_cast<unsigned>(spec.candidates) * words;
       i += static_cast<unsigned>(team)) {
    const unsigned row = i / words, word = i % words;
    const std::int64_t slot = s.index[row];
    const auto* from =
        reinterpret_cast<const std::uint64_t*>(ptx::global(view.frames) + slot * spec.obs_bytes);
    const auto* next =
        reinterpret_cast<const std::uint64_t*>(next_obs_of(spec, view, s.head, slot, newest));
    const std::uint64_t now = from[word], then = next[word];
    const bool over = (ptx::global(view.flags)[slot] & kTerminated) != 0;
    reinterpret_cast<std::uint64_t*>(to.obs + row * to.row_bytes)[word] = now;
    reinterpret_cast<std::uint64_t*>(to.next_obs + row * to.row_bytes)[word] = over ? 0 : then;
  }
}

}  // namespace tarl::fleet
