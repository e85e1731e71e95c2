// SPDX-License-Identifier: MIT
#pragma once

#include <cfloat>

#include "tarl/fleet/cuda/reaper.cuh"

// ReaperPriorities::update for a block.
namespace tarl::fleet {

// New errors of distinct transitions, ascending, cut into groups of one episode each.
struct ReaperChanges {
  std::int64_t drawn[kMaxCandidates];  // transition of each candidate
  std::int64_t transition[kMaxCandidates];
  double td[kMaxCandidates];
  double delta[kMaxCandidates];        // new td - old td
  std::int32_t group[kMaxCandidates];  // first change of each group
  std::int32_t changes, groups;
};

struct ReaperGroup {
  const ReaperChanges& all;
  int first, last;

  // By how much C changes before (or, inclusively, up to) a transition.
  __device__ double shift_before(std::int64_t transition) const {
    double shift = 0;
    for (int i = first; i < last && all.transition[i] < transition; ++i) shift += all.delta[i];
    return shift;
  }

  __device__ bool any_in(std::int64_t from, std::int64_t to) const {
    for (int i = first; i < last; ++i) {
      if (all.transition[i] >= from && all.transition[i] < to) return true;
    }
    return false;
  }

  __device__ int find(std::int64_t transition) const {  // -1 where there is none
    for (int i = first; i < last; ++i) {
      if (all.transition[i] == transition) return i;
    }
    return -1;
  }
};

// Sorts what was drawn by transition; of one drawn twice the first error counts. A few neighbouring
// threads share a candidate.
__device__ inline void sort_changes(const Reaper& reaper, Shared& s, ReaperChanges& out) {
  const AgentSpec& spec = reaper.spec;
  const std::int64_t newest = s.head.stored - 1;
  const int n = spec.candidates, team = n <= 64 ? 8 : n <= 128 ? 4 : 2;
  const int mine = thread_id() / team, me = thread_id() % team;
  const bool leads = mine < n && me == 0;
  const auto team_sum = [&](int value) {
    for (int o = 1; o < team; o *= 2) value += __shfl_xor_sync(kFullWarp, value, o);
    return value;
  };
  int twins = 0;
  for (int j = me; mine < n && j < mine; j += team) twins += s.index[j] == s.index[mine] ? 1 : 0;
  const bool counts = team_sum(twins) == 0;
  if (leads) {
    s.mark[mine] = counts ? 1 : 0;
    out.drawn[mine] = newest - remainder_of(newest - s.index[mine], spec.capacity);
  }
  __syncthreads();
  int before = 0;
  for (int j = me; mine < n && j < n; j += team) {
    before += s.mark[j] != 0 && out.drawn[j] < out.drawn[mine] ? 1 : 0;
  }
  before = team_sum(before);
  if (leads && counts) {
    const double error = fabs(static_cast<double>(fabsf(s.y_offline[mine] - s.q[mine])));
    out.transition[before] = out.drawn[mine];
    out.td[before] = error + spec.priority_eps;
    out.delta[before] = out.td[before] - reaper.view.reaper.td[s.index[mine]];
  }
  const int changes = __syncthreads_count(leads && counts);
  bool opens = false;
  if (leads && mine < changes) {
    const auto entry_of = [&](int k) {
      return reaper.view.reaper.entry[reaper.place(out.transition[k])];
    };
    opens = mine == 0 || entry_of(mine) != entry_of(mine - 1);
    s.mark[mine] = opens ? 1 : 0;
  }
  const int groups = __syncthreads_count(opens);
  before = 0;
  for (int j = me; mine < changes && j < mine; j += team) before += s.mark[j];
  before = team_sum(before);
  if (opens) out.group[before] = mine;
  if (thread_id() == 0) {
    out.changes = changes;
    out.groups = groups;
  }
  __syncthreads();
}

// One warp: rows of a block piece that cannot just be shifted as a whole.
__device__ inline void touch_rows(const Reaper& reaper, const ReaperGroup& group,
                                  const EpisodeBooks& episode, std::int64_t block,
                                  const Reaper::Stretch& part) {
  const ReaperView& view = reaper.view.reaper;
  const AgentSpec& spec = reaper.spec;
  const bool was_closed = view.block[block].closed != 0;
  __syncwarp();
  open_block(spec, view, block);
  const std::int64_t at = block * kBlockRows + lane_id();
  if (at >= part.first && at < part.last) {
    const std::int64_t transition = part.transition + at - part.first;
    const double shift = group.shift_before(transition + 1);
    const int change = group.find(transition);
    PowerRow& row = view.row[at];
    if (change >= 0) {
      view.td[at] = group.all.td[change];
      row.factor = quick_power(group.all.td[change], spec.priority_alpha);
      row.base += shift;
      const double base = episode.finished != 0 ? row.base : reaper.running_reliability(at);
      row.value = row.factor * power(base, spec.omega);
    } else if (shift != 0 || transition >= episode.recomputed_end) {
      if (episode.finished != 0) row.value = value_after(row, shift, spec.omega);
      row.base += shift;
      if (episode.finished == 0) {
        row.value = row.factor * power(reaper.running_reliability(at), spec.omega);
      }
    }
  }
  __syncwarp();
  if (was_closed) close_block(spec, view, block);
}

// One warp: C of an episode's transitions. Lanes take a block each where it moves as a whole.
__device__ inline void touch_blocks(const Reaper& reaper, const ReaperGroup& group,
                                    const EpisodeBooks& episode, const Reaper::Stretch& part) {
  const ReaperView& view = reaper.view.reaper;
  const std::int64_t end = part.first_block() + part.blocks();
  for (std::int64_t base = part.first_block(); base < end; base += 32) {
    const std::int64_t block = base + lane_id();
    int work = 0;  // 1: rows, 2: close anew
    if (block < end) {
      const std::int64_t first = block * kBlockRows;
      const std::int64_t low = first > part.first ? first : part.first;
      const std::int64_t high = first + kBlockRows < part.last ? first + kBlockRows : part.last;
      const std::int64_t from = part.transition + low - part.first, to = from + high - low;
      if (view.block[block].closed == 0 || group.any_in(from, to)) {
        work = 1;
      } else {
        const double shift = group.shift_before(from);
        if (shift != 0 && !shift_block(view.block[block], shift)) work = 2;
      }
    }
    __syncwarp();
    for (unsigned rest = __ballot_sync(kFullWarp, work != 0); rest != 0; rest &= rest - 1) {
      const int lane = __ffs(static_cast<int>(rest)) - 1;
      if (__shfl_sync(kFullWarp, work, lane) == 1) {
        touch_rows(reaper, group, episode, base + lane, part);
      } else {
        renew_block(reaper.spec, view, base + lane);
      }
    }
  }
}

// One warp: new errors of one episode; leaves of the tree and maxima come later.
__device__ inline void touch_episode(const Reaper& reaper, const ReaperGroup& group) {
  const ReaperView& view = reaper.view.reaper;
  EpisodeBooks& episode = view.episode[view.entry[reaper.place(group.all.transition[group.first])]];
  if (lane_id() == 0 && episode.finished != 0) {
    double sum = episode.sum;
    for (int i = group.first; i < group.last; ++i) sum += group.all.delta[i];
    // A sum of positive errors; only rounding of enormous ones could say otherwise.
    episode.sum = sum > DBL_MIN ? sum : DBL_MIN;
    episode.sum_power = quick_power(episode.sum, -reaper.spec.omega);
    view.sum[reaper.place(episode.end - 1)] = episode.sum;
  }
  __syncwarp();
  const std::int64_t oldest = reaper.oldest();
  Reaper::Stretch part[2];
  const int parts =
      reaper.stretches(episode.start > oldest ? episode.start : oldest, episode.end, part);
  for (int i = 0; i < parts; ++i) touch_blocks(reaper, group, episode, part[i]);
  if (lane_id() == 0) episode.recomputed_end = episode.end;
  __syncwarp();
}

// The block: |offline errors| of everything drawn.
static __device__ __noinline__ void update_reaper(const AgentSpec& spec, const AgentView& view,
                                                  Shared& s, ReaperChanges& changes) {
  const Reaper reaper{spec, view, s.head};
  sort_changes(reaper, s, changes);
  const auto group_at = [&](int g) {
    return ReaperGroup{changes, changes.group[g],
                       g + 1 < changes.groups ? changes.group[g + 1] : changes.changes};
  };
  for (int g = warp_id(); g < changes.groups; g += kWarps) touch_episode(reaper, group_at(g));
  __syncthreads();
  // Neighbouring episodes share blocks, so sums over blocks wait for all of them.
  for (int g = warp_id(); g < changes.groups; g += kWarps) {
    const std::int64_t at = reaper.place(changes.transition[changes.group[g]]);
    const EpisodeBooks& episode = view.reaper.episode[view.reaper.entry[at]];
    reaper.renew_leaves(episode, false);
    if (episode.finished != 0) reaper.renew_sum_max(reaper.place(episode.end - 1) / 32);
  }
  view.tree.add_up_all();
  double largest_td = 0, largest_sum = 0;
  for (int i = thread_id(); i < changes.changes; i += kThreads) {
    largest_td = changes.td[i] > largest_td ? changes.td[i] : largest_td;
  }
  for (std::int64_t i = thread_id(); i < (spec.capacity + 31) / 32; i += kThreads) {
    const double value = view.reaper.sum_max[i];
    largest_sum = value > largest_sum ? value : largest_sum;
  }
  largest_td = block_max(largest_td, s.room);
  largest_sum = block_max(largest_sum, s.room);
  if (thread_id() == 0) {
    s.head.max_td = largest_td > s.head.max_td ? largest_td : s.head.max_td;
    s.head.max_sum = largest_sum;
  }
  __syncthreads();
}

}  // namespace tarl::fleet
