// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/replay/reaper_groups.cuh"

// replay::ReaperPriorities for a single environment, with the same terms and rules. The lanes of a
// warp share the rows of a group.
namespace tarl::fleet {

struct Reaper {
  const AgentSpec& spec;
  const AgentView& view;
  AgentState& state;
  std::int64_t added;  // transitions with priority data; the last may still be running

  __device__ std::int64_t place(std::int64_t transition) const {
    return remainder_of(transition, spec.capacity);
  }

  __device__ ReaperView data() const { return in_global(view.reaper); }

  // The terms of a slot's weight.
  struct WeightParts {
    PowerRow row;
    double shift, sum, sum_power;
    std::int32_t finished;
  };

  __device__ WeightParts weight_parts(std::int64_t at, std::uint32_t entry) const {
    const ReaperEpisode& episode = data().episode[entry];
    return {data().row[at], data().group[at / kPowerRows].shift, episode.sum, episode.sum_power,
            static_cast<std::int32_t>(episode.finished)};
  }

  __device__ WeightParts weight_parts(std::int64_t at) const {
    return weight_parts(at, data().entry[at]);
  }

  __device__ double weight_of(const WeightParts& parts) const {
    const PowerRow& row = parts.row;
    if (row.factor == 0) return 0;  // empty slot
    if (parts.finished == 0) return row.value;
    const double cumulative = row.base + parts.shift;
    if (cumulative >= parts.sum) return row.factor;
    if (cumulative < kLeastReliability * parts.sum) {
      return row.factor * quick_power(kLeastReliability, spec.omega);
    }
    const double value = parts.shift == 0 ? row.value : value_after(spec, row, parts.shift);
    return value * parts.sum_power;
  }

  // The same, except that it returns false in the cases that need a division or a power. Open
  // groups, the usual case while episodes are short, have no shift. All conditions are evaluated
  // unconditionally, so that no load waits for the outcome of another.
  __device__ bool quick_weight(const WeightParts& parts, double& weight) const {
    const PowerRow& row = parts.row;
    const int empty = row.factor == 0, runs = parts.finished == 0;
    const int still = parts.shift == 0, enough = row.base >= kLeastReliability * parts.sum;
    const double share = row.base >= parts.sum ? row.factor : row.value * parts.sum_power;
    weight = empty != 0 ? 0.0 : runs != 0 ? row.value : share;
    return (empty | runs | (still & enough)) != 0;
  }

  __device__ double lane_weight(std::int64_t group) const {
    return weight_of(weight_parts(group * kPowerRows + lane_id()));
  }

  // One warp: the largest S of 32 neighbours.
  __device__ void renew_sum_max(std::int64_t chunk) const {
    const double largest = warp_max(data().sum[chunk * 32 + lane_id()]);
    if (lane_id() == 0) data().sum_max[chunk] = largest;
    __syncwarp();
  }

  // One warp: the group's weight in the tree, from its sum if it is closed, otherwise recomputed
  // from its rows.
  __device__ double group_weight(std::int64_t group, const ReaperEpisode& episode) const {
    const PowerGroup& b = data().group[group];
    if (b.closed != 0 && b.smallest + b.shift >= kLeastReliability * episode.sum) {
      return b.sum * episode.sum_power;
    }
    return warp_sum(lane_weight(group));
  }

  // Contiguous slots that hold an episode's transitions: one range, or two if it wraps around the
  // end of the ring.
  struct Span {
    std::int64_t first, last, transition;  // slots [first, last), the transition at `first`

    __device__ std::int64_t first_group() const { return first / kPowerRows; }

    __device__ std::int64_t groups() const { return (last - 1) / kPowerRows - first_group() + 1; }
  };

  __device__ int spans(std::int64_t from, std::int64_t to, Span (&out)[2]) const {
    if (from >= to) return 0;
    const std::int64_t at = place(from), to_end = spec.capacity - at, n = to - from;
    out[0] = {at, at + (n < to_end ? n : to_end), from};
    if (n <= to_end) return 1;
    out[1] = {0, n - to_end, from + to_end};
    return 2;
  }

  __device__ std::int64_t oldest() const {
    return added < spec.capacity ? 0 : added - spec.capacity;
  }

  // One warp: the tree leaves of the groups an episode lies in.
  __device__ void renew_leaves(const ReaperEpisode& episode) const {
    const std::int64_t from = episode.start > oldest() ? episode.start : oldest();
    Span part[2];
    const int parts = spans(from, episode.end, part);
    for (int i = 0; i < parts; ++i) {
      for (std::int64_t b = 0; b < part[i].groups(); ++b) {
        const std::int64_t group = part[i].first_group() + b;
        view.tree.set(static_cast<std::int32_t>(group), group_weight(group, episode));
      }
    }
  }

  // One warp: adds the last of the `added` transitions; `done` if its episode ends with it. Memory
  // latency dominates, so everything the group holds is loaded at once.
  __device__ void add(bool done) const {
    const std::int64_t arrived = added - 1, at = place(arrived), group = at / kPowerRows;
    const std::int64_t near = group * kPowerRows + lane_id();
    const bool own = near == at, goes_on = state.running >= 0;
    const double before = goes_on ? data().row[at > 0 ? at - 1 : spec.capacity - 1].base : 0.0;
    double sum = data().sum[near];
    const std::uint32_t entry = data().entry[near];
    WeightParts parts = weight_parts(near, entry);
    const std::int64_t end = data().episode[entry].end;
    const double factor = quick_power(state.max_td, spec.priority_alpha);
    __syncwarp();  // every lane has read the old values
    if (arrived >= spec.capacity) {
      if (parts.shift != 0) {
        apply_shift(spec, parts.row, parts.shift);
        data().row[near] = parts.row;
      }
      parts.shift = 0;
      if (own) {
        data().group[group].closed = 0;
        data().group[group].shift = 0;
        if (parts.finished != 0 && end - 1 == arrived - spec.capacity) {
          data().free_entries[state.free_entries++] = entry;
        }
      }
    }
    if (own) {
      if (!goes_on) start_episode(arrived);
      parts.row = {factor, before + state.max_td, factor};
      parts.finished = 0;
      sum = state.max_sum;
      data().td[at] = state.max_td;
      data().entry[at] = static_cast<std::uint32_t>(state.running);
      data().row[at] = parts.row;
      data().sum[at] = sum;
      data().episode[state.running].end = arrived + 1;
    }
    sum = warp_max(sum);
    if (lane_id() == 0) data().sum_max[group] = sum;
    __syncwarp();
    if (done) {
      finish();
    } else {
      view.tree.set(static_cast<std::int32_t>(group), warp_sum(weight_of(parts)));
    }
  }

  __device__ void start_episode(std::int64_t arrived) const {  // one lane
    const std::uint32_t entry = state.free_entries > 0
                                    ? data().free_entries[--state.free_entries]
                                    : static_cast<std::uint32_t>(state.entries++);
    data().episode[entry] = {state.episodes++, arrived, arrived, 0, arrived, 0, 1};
    state.running = entry;
  }

  // One warp: the running episode has ended.
  __device__ void finish() const {
    ReaperEpisode& episode = data().episode[state.running];
    const std::int64_t last = place(episode.end - 1);
    const std::int64_t from = episode.start > oldest() ? episode.start : oldest();
    const double sum = data().row[last].base;
    __syncwarp();
    if (lane_id() == 0) {
      episode.finished = 1;
      episode.recomputed_end = episode.end;
      episode.sum = sum;
      episode.sum_power = quick_power(sum, -spec.omega);
    }
    __syncwarp();
    Span part[2];
    const int parts = spans(from, episode.end, part);
    double largest = 0;
    for (int i = 0; i < parts; ++i) {
      for (std::int64_t b = 0; b < part[i].groups(); ++b) {
        const std::int64_t group = part[i].first_group() + b;
        const std::int64_t at = group * kPowerRows + lane_id();
        const bool mine = at >= part[i].first && at < part[i].last;
        PowerRow row = {};
        if (mine) {
          row = data().row[at];
          row.value = row.factor * power(row.base, spec.omega);
          data().row[at].value = row.value;
          data().sum[at] = at == last ? sum : 0.0;
        }
        const bool full = __all_sync(kFullWarp, mine);
        if (full) close_group(spec, data(), group, row);
        renew_sum_max(group);
      }
    }
    for (std::int64_t chunk = lane_id(); chunk < (spec.capacity + 31) / 32; chunk += 32) {
      const double value = data().sum_max[chunk];
      largest = value > largest ? value : largest;
    }
    largest = warp_max(largest);
    __syncwarp();
    if (lane_id() == 0) {
      state.max_sum = largest > state.max_sum ? largest : state.max_sum;
      state.running = -1;
    }
    __syncwarp();
    renew_leaves(episode);
  }
};

inline constexpr int kFew = 4;  // groups at a time

struct FewWeights {
  double of[kFew];
};

static __device__ __noinline__ double slow_weight(const AgentSpec& spec, const AgentView& view,
                                                  AgentState& state, std::int32_t at) {
  const Reaper reaper{spec, view, state, 0};
  return reaper.weight_of(reaper.weight_parts(at));
}

// One warp: weights of this lane's rows in a few groups, zero for group -1. Latency-bound: between
// issuing the loads and using them there is no call, not even a division, no branch, and a warp
// barrier; otherwise the compiler saves registers by waiting for each group in turn. Kept out of
// line because it has two call sites.
static __device__ __noinline__ FewWeights lane_weights(const AgentSpec& spec, const AgentView& view,
                                                       AgentState& state, int4 groups) {
  const Reaper reaper{spec, view, state, 0};
  const ReaperView data = reaper.data();
  const std::int32_t group[kFew] = {groups.x, groups.y, groups.z, groups.w};
  FewWeights weight;
  std::int32_t at[kFew];
  std::uint32_t entry[kFew];
  Reaper::WeightParts parts[kFew];
  bool known[kFew];
#pragma unroll
  for (int i = 0; i < kFew; ++i) {
    const std::int32_t from = group[i] > 0 ? group[i] : 0;
    at[i] = from * kPowerRows + lane_id();
    entry[i] = data.entry[at[i]];
    parts[i].row = data.row[at[i]];
    parts[i].shift = data.group[from].shift;
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kFew; ++i) {
    const ReaperEpisode& episode = data.episode[entry[i]];
    parts[i].sum = episode.sum;
    parts[i].sum_power = episode.sum_power;
    parts[i].finished = static_cast<std::int32_t>(episode.finished);
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kFew; ++i) {
    known[i] = reaper.quick_weight(parts[i], weight.of[i]) || group[i] < 0;
    if (group[i] < 0) weight.of[i] = 0;
  }
#pragma unroll
  for (int i = 0; i < kFew; ++i) {
    if (!known[i]) weight.of[i] = slow_weight(spec, view, state, at[i]);
  }
  __syncwarp();
  return weight;
}

// One warp: finds the slots, and their weights, that the masses of its subwarps fall on within
// their groups.
__device__ inline void find_in_groups(const AgentSpec& spec, const AgentView& view,
                                      AgentState& state, SumLevels::Found& found) {
  static_assert(32 / kSubwarpSize == kFew);
  std::int32_t group[kFew];
#pragma unroll
  for (int i = 0; i < kFew; ++i) group[i] = __shfl_sync(kFullWarp, found.leaf, i * kSubwarpSize);
  const FewWeights weights =
      lane_weights(spec, view, state, make_int4(group[0], group[1], group[2], group[3]));
#pragma unroll
  for (int i = 0; i < kFew; ++i) {
    const double own = weights.of[i];
    double before = own;  // inclusive prefix sums
    for (int o = 1; o < 32; o *= 2) {
      const double left = __shfl_up_sync(kFullWarp, before, o);
      if (lane_id() >= o) before += left;
    }
    const double mass = __shfl_sync(kFullWarp, found.rest, i * kSubwarpSize);
    const unsigned beyond = __ballot_sync(kFullWarp, before > mass && own > 0);
    const unsigned some = __ballot_sync(kFullWarp, own > 0);
    const int lane = beyond != 0 ? __ffs(static_cast<int>(beyond)) - 1
                     : some != 0 ? 31 - __clz(static_cast<int>(some))
                                 : 0;
    const double weight = __shfl_sync(kFullWarp, own, lane);
    if (lane_id() / kSubwarpSize == i) {
      found.leaf = group[i] * kPowerRows + lane;
      found.weight = weight;
    }
  }
}

}  // namespace tarl::fleet
