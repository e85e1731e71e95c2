// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/reaper_blocks.cuh"

// replay::ReaperPriorities for one lane, whose words and rules these are. Warps share out the
// episodes that an update touches, lanes the blocks of an episode or the rows of a block.
namespace tarl::fleet {

struct Reaper {
  const AgentSpec& spec;
  const AgentView& view;
  AgentHead& head;

  __device__ std::int64_t place(std::int64_t transition) const {
    return remainder_of(transition, spec.capacity);
  }

  // What the weight of a slot is made of.
  struct WeightParts {
    PowerRow row;
    double shift, sum, sum_power;
    std::int64_t finished;
  };

  __device__ WeightParts weight_parts(std::int64_t at) const {
    const EpisodeBooks& episode = view.reaper.episode[view.reaper.entry[at]];
    return {view.reaper.row[at], view.reaper.block[at / kBlockRows].shift, episode.sum,
            episode.sum_power, episode.finished};
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
    const double value = parts.shift == 0 ? row.value : value_after(row, parts.shift, spec.omega);
    return value * parts.sum_power;
  }

  // A lane's row of a block, zero beyond the end.
  __device__ double lane_weight(std::int64_t block) const {
    const std::int64_t at = block * kBlockRows + lane_id();
    return at < spec.capacity ? weight_of(weight_parts(at)) : 0.0;
  }

  __device__ double running_reliability(std::int64_t at) const {
    const double share = view.reaper.row[at].base / view.reaper.sum[at];
    return share < kLeastReliability ? kLeastReliability : share > 1.0 ? 1.0 : share;
  }

  // One warp: sets S of a slot and the largest of its 32 neighbours.
  __device__ void renew_sum_max(std::int64_t chunk) const {
    const std::int64_t at = chunk * 32 + lane_id();
    const double largest = warp_max(at < spec.capacity ? view.reaper.sum[at] : 0.0);
    if (lane_id() == 0) view.reaper.sum_max[chunk] = largest;
    __syncwarp();
  }

  // One warp. The block's share of the tree from scratch, or for a closed block from its sum.
  __device__ double block_weight(std::int64_t block, const EpisodeBooks& episode) const {
    const PowerBlock& b = view.reaper.block[block];
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
    return head.stored < spec.capacity ? 0 : head.stored - spec.capacity;
  }

  // One warp: the leaves of the blocks that an episode lies in, in the top tree or only there.
  __device__ void renew_leaves(const EpisodeBooks& episode, bool climb) const {
    const std::int64_t from = episode.start > oldest() ? episode.start : oldest();
    Stretch part[2];
    const int parts = stretches(from, episode.end, part);
    for (int i = 0; i < parts; ++i) {
      for (std::int64_t b = 0; b < part[i].blocks(); ++b) {
        const std::int64_t block = part[i].first_block() + b;
        const double weight = block_weight(block, episode);
        if (climb) {
          view.tree.set(block, weight);
        } else if (lane_id() == 0) {
          view.tree.level[0][block] = weight;
        }
      }
    }
    __syncwarp();
  }

  // One warp, after the transition was stored in `at`; head.stored already counts it.
  __device__ void add(std::int64_t at, bool done) const {
    const std::int64_t arrived = head.stored - 1;
    const bool goes_on = head.running >= 0;
    const double before = goes_on ? view.reaper.row[place(arrived - 1)].base : 0.0;
    __syncwarp();  // every lane knows whether an episode goes on
    if (arrived >= spec.capacity) drop_oldest(at, arrived);
    if (lane_id() == 0) {
      if (!goes_on) start_episode(arrived);
      const double factor = quick_power(head.max_td, spec.priority_alpha);
      view.reaper.td[at] = head.max_td;
      view.reaper.entry[at] = static_cast<std::uint32_t>(head.running);
      view.reaper.row[at] = {factor, before + head.max_td, factor};
      view.reaper.sum[at] = head.max_sum;
      view.reaper.episode[head.running].end = arrived + 1;
    }
    __syncwarp();
    renew_sum_max(at / 32);
    if (done) {
      finish();
    } else {
      view.tree.set(at / kBlockRows, warp_sum(lane_weight(at / kBlockRows)));
    }
  }

  __device__ void drop_oldest(std::int64_t at, std::int64_t arrived) const {
    open_block(spec, view.reaper, at / kBlockRows);
    const std::uint32_t entry = view.reaper.entry[at];
    const EpisodeBooks& episode = view.reaper.episode[entry];
    if (lane_id() == 0 && episode.finished != 0 && episode.end - 1 == arrived - spec.capacity) {
      view.reaper.free_entries[head.free_entries++] = entry;
    }
    __syncwarp();
  }

  __device__ void start_episode(std::int64_t arrived) const {  // one lane
    const std::uint32_t entry = head.free_entries > 0
                                    ? view.reaper.free_entries[--head.free_entries]
                                    : static_cast<std::uint32_t>(head.entries++);
    view.reaper.episode[entry] = {head.episodes++, arrived, arrived, 0, arrived, 0, 1};
    head.running = entry;
  }

  // One warp: the running episode has ended.
  __device__ void finish() const {
    EpisodeBooks& episode = view.reaper.episode[head.running];
    const std::int64_t last = place(episode.end - 1);
    const std::int64_t from = episode.start > oldest() ? episode.start : oldest();
    const double sum = view.reaper.row[last].base;
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
        if (mine) {
          PowerRow& row = view.reaper.row[at];
          row.value = row.factor * power(row.base, spec.omega);
          view.reaper.sum[at] = at == last ? sum : 0.0;
        }
        const bool full = __all_sync(kFullWarp, mine);
        if (full) close_block(spec, view.reaper, block);
        renew_sum_max(block);
      }
    }
    for (std::int64_t chunk = lane_id(); chunk < (spec.capacity + 31) / 32; chunk += 32) {
      const double value = view.reaper.sum_max[chunk];
      largest = value > largest ? value : largest;
    }
    largest = warp_max(largest);
    __syncwarp();
    if (lane_id() == 0) {
      head.max_sum = largest > head.max_sum ? largest : head.max_sum;
      head.running = -1;
    }
    __syncwarp();
    renew_leaves(episode, true);
  }

  // One warp: the slot where each mass falls, and its weight.
  template <int kMany>
  __device__ void find(double (&mass)[kMany], std::int64_t (&slot)[kMany],
                       double (&weight)[kMany]) const {
    view.tree.find(mass, slot);
    WeightParts parts[kMany];
#pragma unroll
    for (int i = 0; i < kMany; ++i) {
      const std::int64_t at = slot[i] * kBlockRows + lane_id();
      if (at < spec.capacity) parts[i] = weight_parts(at);
    }
#pragma unroll
    for (int i = 0; i < kMany; ++i) {
      const bool there = slot[i] * kBlockRows + lane_id() < spec.capacity;
      const double own = there ? weight_of(parts[i]) : 0.0;
      double before = own;  // inclusive prefix sums
      for (int o = 1; o < 32; o *= 2) {
        const double left = __shfl_up_sync(kFullWarp, before, o);
        if (lane_id() >= o) before += left;
      }
      const unsigned beyond = __ballot_sync(kFullWarp, before > mass[i] && own > 0);
      const unsigned some = __ballot_sync(kFullWarp, own > 0);
      const int lane = beyond != 0 ? __ffs(static_cast<int>(beyond)) - 1
                       : some != 0 ? 31 - __clz(static_cast<int>(some))
                                   : 0;
      slot[i] = slot[i] * kBlockRows + lane;
      weight[i] = __shfl_sync(kFullWarp, own, lane);
    }
  }
};

}  // namespace tarl::fleet
