// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/net_concept.cuh"
#include "tarl/fleet/cuda/ptx.cuh"
#include "tarl/fleet/minatar_dqn/cuda/agent_view.cuh"
#include "tarl/replay/row_flags.h"

// replay::Storage for a single environment: transition n lies in slot n % capacity, and its next
// observation is the observation of transition n + 1.
namespace tarl::fleet {

using replay::kFirst;
using replay::kTerminated;

// Slots in use after `stored` transitions.
__device__ inline std::int64_t filled(const AgentSpec& spec, std::int64_t stored) {
  return stored < spec.capacity ? stored : spec.capacity;
}

__device__ inline void copy_obs(const AgentSpec& spec, const std::byte* from, std::byte* to,
                                int first, int stride) {
  const auto* source = reinterpret_cast<const std::uint64_t*>(from);
  auto* target = reinterpret_cast<std::uint64_t*>(to);
  for (int i = first; i < spec.obs_bytes / 8; i += stride) target[i] = source[i];
}

// One warp stores the agent's transition.
__device__ inline void store_transition(const AgentSpec& spec, const AgentView& view,
                                        AgentState& state) {
  const std::int64_t slot = remainder_of(state.stored, spec.capacity);
  const std::int64_t before = slot > 0 ? slot - 1 : spec.capacity - 1;
  const bool leads = ptx::cluster_rank() == 0;
  if (leads) copy_obs(spec, state.obs, view.frames + slot * spec.obs_bytes, lane_id(), 32);
  copy_obs(spec, state.next_obs, state.newest_next, lane_id(), 32);
  __syncwarp();  // every lane has read `stored`
  if (lane_id() == 0) {
    if (leads) {
      const bool first = state.stored == 0 || (view.flags[before] & kTerminated) != 0;
      view.action[slot] = state.action;
      view.reward[slot] = state.reward;
      view.flags[slot] =
          static_cast<std::uint8_t>((state.terminal != 0 ? kTerminated : 0) | (first ? kFirst : 0));
    }
    ++state.stored;
  }
  __syncwarp();
}

// The slot whose observation is this slot's next observation.
__device__ inline std::int64_t slot_after(const AgentSpec& spec, std::int64_t slot) {
  return slot + 1 == spec.capacity ? 0 : slot + 1;
}

__device__ inline float discount_of(const AgentSpec& spec, bool over) {
  return over ? 0.0F : static_cast<float>(spec.gamma);
}

// Eight bytes of a board from global memory. Copies to shared memory are asynchronous, so that many
// are in flight.
template <bool kToShared>
__device__ inline void copy_word(const std::byte* from, std::byte* to) {
  if constexpr (kToShared) {
    ptx::copy_eight(ptx::shared_address(to), from);
  } else {
    *reinterpret_cast<std::uint64_t*>(to) = *reinterpret_cast<const std::uint64_t*>(from);
  }
}

// Thread `me` of `threads` (a multiple of four) copies its share of the transitions drawn for rows
// [first, end), given `stored` transitions: boards to where the network wants them, the rest to
// shared memory. The next board of a terminal transition is arbitrary and has no effect. With
// `plays` the newest transition is still being played and is left out; returns whether this thread
// left any out. Latency-bound: all loads are issued before the first wait.
template <class Net>
static __device__ __noinline__ bool gather(std::int64_t stored, bool plays, int first, int end,
                                           int me, int threads) {
  Shared& s = Net::shared();
  const AgentSpec& spec = s.spec;
  const AgentView& view = s.view;
  const BoardRows to = Net().boards();
  const std::byte* frames = ptx::global(view.frames);
  const std::int64_t newest = remainder_of(stored - 1, spec.capacity);
  const auto is_played = [&](std::int64_t slot) { return plays && slot == newest; };
  const auto flags_of = [&](int row) -> std::uint8_t {
    if (row >= end || is_played(s.index[row])) return 0;
    return ptx::global(view.flags)[s.index[row]];
  };
  const std::uint8_t early_flags = flags_of(first + me);
  // Four threads copy one row, 32 contiguous bytes at a time.
  const int part = me % 4 * 8;
  bool left_out = false;
#pragma unroll 1
  for (int row = first + me / 4; row < end; row += threads / 4) {
    const std::int64_t slot = s.index[row], next = slot_after(spec, slot);
    left_out |= is_played(slot) || is_played(next);
    if (is_played(slot)) continue;
    const std::byte* from = frames + slot * spec.obs_bytes;
    const std::byte* from_next = frames + next * spec.obs_bytes;
    const int at = row * to.row_bytes;
    const bool has_next = slot != newest && !is_played(next);
#pragma unroll
    for (int word = 0; word < kMaxObsBytes; word += 32) {
      if (word + part >= spec.obs_bytes) break;
      copy_word<Net::kBoardsInShared>(from + word + part, to.obs + at + word + part);
      if (has_next) {
        copy_word<Net::kBoardsInShared>(from_next + word + part, to.next_obs + at + word + part);
      } else if (!plays) {
        *reinterpret_cast<std::uint64_t*>(to.next_obs + at + word + part) =
            *reinterpret_cast<const std::uint64_t*>(s.state.newest_next + word + part);
      }
    }
    if (me % 4 == 0) ptx::copy_four(ptx::shared_address(s.action + row), view.action + slot);
    if (me % 4 == 1) ptx::copy_four(ptx::shared_address(s.reward + row), view.reward + slot);
    if (me % 4 == 2 && spec.replay == ReplayKind::kReaper) {
      ptx::copy_four(ptx::shared_address(s.entry + row), view.reaper.entry + slot);
    }
  }
  for (int row = first + me; row < end; row += threads) {
    const std::uint8_t flags = row == first + me ? early_flags : flags_of(row);
    s.discount[row] = discount_of(spec, (flags & kTerminated) != 0);
  }
  ptx::wait_for_copies();
  return left_out;
}

// One warp adds what gather() left out. Requires the observation that was acted on to be still in
// s.act_obs.
__device__ inline void gather_newest(const AgentSpec& spec, Shared& s, const BoardRows& to) {
  const std::int64_t newest = remainder_of(s.state.stored - 1, spec.capacity);
  for (int row = lane_id(); row < spec.candidates; row += 32) {
    const std::int64_t slot = s.index[row];
    std::byte* next_obs = to.next_obs + row * to.row_bytes;
    if (slot_after(spec, slot) == newest) copy_obs(spec, s.act_obs[0], next_obs, 0, 1);
    if (slot != newest) continue;
    copy_obs(spec, s.act_obs[0], to.obs + row * to.row_bytes, 0, 1);
    copy_obs(spec, s.state.newest_next, next_obs, 0, 1);
    s.action[row] = s.state.action;
    s.reward[row] = s.state.reward;
    s.discount[row] = discount_of(spec, s.state.terminal != 0);
  }
  __syncwarp();
}

}  // namespace tarl::fleet
