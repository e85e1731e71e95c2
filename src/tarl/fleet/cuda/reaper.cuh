// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/reaper_blocks.cuh"

// replay::ReaperPriorities for one lane, whose words and rules these are; lanes of a warp share the
// rows of a block.
namespace tarl::fleet {

__device__ inline double running_reliability(double cumulative, double sum) {
  const double share = cumulative / sum;
  return share < kLeastReliability ? kLeastReliability : share > 1.0 ? 1.0 : share;
}

struct Reaper {
  const AgentSpec& spec;
  const AgentView& view;
  AgentHead& head;
  std::int64_t added;  // transitions in the books, of which the last may still be played

  __device__ std::int64_t place(std::int64_t transition) const {
    return remainder_of(transition, spec.capacity);
  }

  __device__ ReaperView books() const { return in_global(view.reaper); }

  // What the weight of a slot is made of.
  struct WeightParts {
    PowerRow row;
    double shift, sum, sum_power;
    std::int64_t finished;
  };

  __device__ WeightParts weight_parts(std::int64_t at, std::uint32_t entry) const {
    const EpisodeBooks& episode = books().episode[entry];
    return {books().row[at], books().block[at / kBlockRows].shift, episode.sum, episode.sum_power,
            episode.finished};
  }

  __device__ WeightParts weight_parts(std::int64_t at) const {
    return weight_parts(at, books().entry[at]);
  }

  __device__ double weight_of(const WeightParts& parts) const {
    const PowerRow& row = parts.row;
    if (row.factor == 0) return 0;  // not filled
    if (parts.finished == 0) return row.value;
    const double cumulative = row.base + parts.shift;
    if (cumulative >= parts.sum) return row.factor;
    if (cumulative < kLeastReliability * parts.sum) {
      return row.factor * quick_power(kLeastReliability, spec.omega);
    }
    const double value = parts.shift == 0 ? row.value : value_after(spec, row, parts.shift);
    return value * parts.sum_power;
  }

  // The same without the cases that need a power, which are rare: false where it is one of them.
  __device__ bool quick_weight(const WeightParts& parts, double& weight) const {
    const PowerRow& row = parts.row;
    weight = row.factor;
    if (row.factor == 0) return true;
    weight = row.value;
    if (parts.finished == 0) return true;
    const double cumulative = row.base + parts.shift, ratio = parts.shift / row.base;
    weight = row.factor;
    if (cumulative >= parts.sum) return true;
    weight = (parts.shift == 0 ? row.value : row.value * growth_of(spec, ratio)) * parts.sum_power;
    return cumulative >= kLeastReliability * parts.sum && fabs(ratio) < kReach;
  }

  // One warp: a lane's rows of a few blocks, zero for block -1 and beyond the end. No function is
  // called before all loads are used, as what a call must save is waited for.
  template <int kMany>
  __device__ void lane_weights(const std::int64_t (&block)[kMany], double (&weight)[kMany]) const {
    std::uint32_t entry[kMany];
    WeightParts parts[kMany];
    bool there[kMany], known[kMany];
#pragma unroll
    for (int i = 0; i < kMany; ++i) {
      const std::int64_t at = block[i] * kBlockRows + lane_id();
      there[i] = block[i] >= 0 && at < spec.capacity;
      entry[i] = there[i] ? books().entry[at] : 0;
    }
#pragma unroll
    for (int i = 0; i < kMany; ++i) {
      if (there[i]) parts[i] = weight_parts(block[i] * kBlockRows + lane_id(), entry[i]);
    }
#pragma unroll
    for (int i = 0; i < kMany; ++i) {
      weight[i] = 0;
      known[i] = !there[i] || quick_weight(parts[i], weight[i]);
    }
#pragma unroll
    for (int i = 0; i < kMany; ++i) {
      if (!known[i]) weight[i] = weight_of(weight_parts(block[i] * kBlockRows + lane_id()));
    }
    __syncwarp();
  }

  // A lane's row of a block, zero beyond the end.
  __device__ double lane_weight(std::int64_t block) const {
    const std::int64_t at = block * kBlockRows + lane_id();
    return at < spec.capacity ? weight_of(weight_parts(at)) : 0.0;
  }

  // One warp: the largest S of 32 neighbours.
  __device__ void renew_sum_max(std::int64_t chunk) const {
    const std::int64_t at = chunk * 32 + lane_id();
    const double largest = warp_max(at < spec.capacity ? books().sum[at] : 0.0);
    if (lane_id() == 0) books().sum_max[chunk] = largest;
    __syncwarp();
  }

  // One warp. The block's share of the tree from scratch, or for a closed block from its sum.
  __device__ double block_weight(std::int64_t block, const EpisodeBooks& episode) const {
    const PowerBlock& b = books().block[block];
    if (b.closed != 0 && b.smallest + b.shift >= kLeastReliability * episode.sum) {
      return b.sum * episode.sum_power;
    }
    return warp_sum(lane_weight(block));
  }

  // Stretches of neighbouring slots that hold an episode's transitions: one, or two around the end.
  struct Stretch {
    std::int64_t first, last, transition;  // slots [first, last), the transition at `first`

    __device__ std::int64_t first_block() const { return first / kBlockRows; }

    __device__ std::int64_t blocks() const { return (last - 1) / kBlockRows - first_block() + 1; }
  };

  __device__ int stretches(std::int64_t from, std::int64_t to, Stretch (&out)[2]) const {
    if (from >= to) return 0;
    const std::int64_t at = place(from), room = spec.capacity - at, n = to - from;
    out[0] = {at, at + (n < room ? n : room), from};
    if (n <= room) return 1;
    out[1] = {0, n - room, from + room};
    return 2;
  }

  __device__ std::int64_t oldest() const {
    return added < spec.capacity ? 0 : added - spec.capacity;
  }

  // One warp: the leaves of the blocks that an episode lies in.
  __device__ void renew_leaves(const EpisodeBooks& episode) const {
    const std::int64_t from = episode.start > oldest() ? episode.start : oldest();
    Stretch part[2];
    const int parts = stretches(from, episode.end, part);
    for (int i = 0; i < parts; ++i) {
      for (std::int64_t b = 0; b < part[i].blocks(); ++b) {
        const std::int64_t block = part[i].first_block() + b;
        view.tree.set(block, block_weight(block, episode));
      }
    }
  }

  // One warp: the last of the `added` transitions; `done` where its episode ends with it.
  __device__ void add(bool done) const {
    const std::int64_t arrived = added - 1, at = place(arrived), chunk = at / 32;
    const bool goes_on = head.running >= 0;
    const double before = goes_on ? books().row[place(arrived - 1)].base : 0.0;
    const std::int64_t near = chunk * 32 + lane_id();
    double sum = near < spec.capacity ? books().sum[near] : 0.0;
    const double factor = quick_power(head.max_td, spec.priority_alpha);
    __syncwarp();  // every lane knows whether an episode goes on
    if (arrived >= spec.capacity) drop_oldest(at, arrived);
    if (lane_id() == 0) {
      if (!goes_on) start_episode(arrived);
      books().td[at] = head.max_td;
      books().entry[at] = static_cast<std::uint32_t>(head.running);
      books().row[at] = {factor, before + head.max_td, factor};
      books().sum[at] = head.max_sum;
      books().episode[head.running].end = arrived + 1;
    }
    if (near == at) sum = head.max_sum;
    sum = warp_max(sum);
    if (lane_id() == 0) books().sum_max[chunk] = sum;
    __syncwarp();
    if (done) {
      finish();
    } else {
      view.tree.set(at / kBlockRows, warp_sum(lane_weight(at / kBlockRows)));
    }
  }

  __device__ void drop_oldest(std::int64_t at, std::int64_t arrived) const {
    open_block(spec, books(), at / kBlockRows);
    const std::uint32_t entry = books().entry[at];
    const EpisodeBooks& episode = books().episode[entry];
    if (lane_id() == 0 && episode.finished != 0 && episode.end - 1 == arrived - spec.capacity) {
      books().free_entries[head.free_entries++] = entry;
    }
    __syncwarp();
  }

  __device__ void start_episode(std::int64_t arrived) const {  // one lane
    const std::uint32_t entry = head.free_entries > 0 ? books().free_entries[--head.free_entries]
                                                      : static_cast<std::uint32_t>(head.entries++);
    books().episode[entry] = {head.episodes++, arrived, arrived, 0, arrived, 0, 1};
    head.running = entry;
  }

  // One warp: the running episode has ended.
  __device__ void finish() const {
    EpisodeBooks& episode = books().episode[head.running];
    const std::int64_t last = place(episode.end - 1);
    const std::int64_t from = episode.start > oldest() ? episode.start : oldest();
    const double sum = books().row[last].base;
    __syncwarp();
    if (lane_id() == 0) {
      episode.finished = 1;
      episode.recomputed_end = episode.end;
      episode.sum = sum;
      episode.sum_power = quick_power(sum, -spec.omega);
    }
    __syncwarp();
    Stretch part[2];
    const int parts = stretches(from, episode.end, part);
    double largest = 0;
    for (int i = 0; i < parts; ++i) {
      for (std::int64_t b = 0; b < part[i].blocks(); ++b) {
        const std::int64_t block = part[i].first_block() + b;
        const std::int64_t at = block * kBlockRows + lane_id();
        const bool mine = at >= part[i].first && at < part[i].last;
        PowerRow row = {};
        if (mine) {
          row = books().row[at];
          row.value = row.factor * power(row.base, spec.omega);
          books().row[at].value = row.value;
          books().sum[at] = at == last ? sum : 0.0;
        }
        const bool full = __all_sync(kFullWarp, mine);
        if (full) close_block(spec, books(), block, row);
        renew_sum_max(block);
      }
    }
    for (std::int64_t chunk = lane_id(); chunk < (spec.capacity + 31) / 32; chunk += 32) {
      const double value = books().sum_max[chunk];
      largest = value > largest ? value : largest;
    }
    largest = warp_max(largest);
    __syncwarp();
    if (lane_id() == 0) {
      head.max_sum = largest > head.max_sum ? largest : head.max_sum;
      head.running = -1;
    }
    __syncwarp();
    renew_leaves(episode);
  }

  // One warp: from where the masses of its teams fall among blocks to slots and their weights.
  __device__ void find_in_blocks(SumLevels::Found& found) const {
    constexpr int kMany = 32 / kTeam;
    std::int64_t block[kMany];
    double weights[kMany];
#pragma unroll
    for (int i = 0; i < kMany; ++i) block[i] = __shfl_sync(kFullWarp, found.leaf, i * kTeam);
    lane_weights(block, weights);
#pragma unroll
    for (int i = 0; i < kMany; ++i) {
      const double own = weights[i];
      double before = own;  // inclusive prefix sums
      for (int o = 1; o < 32; o *= 2) {
        const double left = __shfl_up_sync(kFullWarp, before, o);
        if (lane_id() >= o) before += left;
      }
      const double mass = __shfl_sync(kFullWarp, found.rest, i * kTeam);
      const unsigned beyond = __ballot_sync(kFullWarp, before > mass && own > 0);
      const unsigned some = __ballot_sync(kFullWarp, own > 0);
      const int lane = beyond != 0 ? __ffs(static_cast<int>(beyond)) - 1
                       : some != 0 ? 31 - __clz(static_cast<int>(some))
                                   : 0;
      const double weight = __shfl_sync(kFullWarp, own, lane);
      if (lane_id() / kTeam == i) {
        found.leaf = block[i] * kBlockRows + lane;
        found.weight = weight;
      }
    }
  }
};

}  // namespace tarl::fleet
