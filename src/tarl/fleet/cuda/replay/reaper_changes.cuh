// SPDX-License-Identifier: MIT
#pragma once

#include <cfloat>

#include "tarl/fleet/cuda/replay/reaper.cuh"

// The new errors of an update, sorted by transition and split by episode. Transitions are numbered
// from the one in the oldest slot of a full buffer.
namespace tarl::fleet {

// The part of a group that holds transitions of one episode: slots [first, last).
struct ReaperPiece {
  std::int32_t group, first, last, transition;  // the one at `first`

  __device__ std::int32_t end() const { return transition + last - first; }
};

// Changes [first, last) belong to one episode.
struct EpisodeChanges {
  double sum, sum_power;
  std::int32_t from, to;  // its transitions still in the buffer
  std::int32_t at;        // slot of `from`
  std::int32_t recomputed_end, finished;
  std::int32_t first, last;
  std::int32_t pieces, pieces_before;  // counted from `at` upwards, then from slot 0

  __device__ ReaperPiece piece(const AgentSpec& spec, int i) const {
    const auto capacity = static_cast<std::int32_t>(spec.capacity);
    const std::int32_t begin = at / kPowerRows, groups = (capacity - 1) / kPowerRows + 1;
    const bool around = begin + i >= groups;
    ReaperPiece piece;
    piece.group = begin + i - (around ? groups : 0);
    const std::int32_t low = piece.group * kPowerRows, high = low + kPowerRows;
    const std::int32_t zero = from - at + (around ? capacity : 0);  // transition of slot 0
    const std::int32_t end = around || to - zero < capacity ? to - zero : capacity;
    piece.first = !around && low < at ? at : low;
    piece.last = high < end ? high : end;
    piece.transition = zero + piece.first;
    return piece;
  }

  __device__ void count_pieces(const AgentSpec& spec) {
    const std::int32_t to_end = static_cast<std::int32_t>(spec.capacity) - at, n = to - from;
    pieces = (at + (n < to_end ? n : to_end) - 1) / kPowerRows - at / kPowerRows + 1;
    if (n > to_end) pieces += (n - to_end - 1) / kPowerRows + 1;
  }
};

struct ReaperChanges {
  // Per candidate, the stored data before the update.
  double old_td[kMaxCandidates];
  ReaperEpisode episode[kMaxCandidates];
  // In ascending order of transitions. If a transition was drawn twice, the first error counts and
  // the others have no effect.
  double td[kMaxCandidates];
  double factor[kMaxCandidates];  // td^alpha
  double delta[kMaxCandidates];   // new td - old td
  std::int32_t transition[kMaxCandidates];
  std::int32_t row[kMaxCandidates];  // index of the candidate
  std::uint32_t entry[kMaxCandidates];
  EpisodeChanges by_episode[kMaxCandidates];
  std::int32_t episodes, pieces;
  std::int32_t oldest;  // slot of transition 0

  // Change of C before a transition (called with at + 1: up to and including it).
  __device__ double shift_before(const EpisodeChanges& g, std::int32_t at) const {
    double shift = 0;
    for (int i = g.first; i < g.last && transition[i] < at; ++i) shift += delta[i];
    return shift;
  }

  __device__ bool any_in(const EpisodeChanges& g, std::int32_t from, std::int32_t to) const {
    for (int i = g.first; i < g.last; ++i) {
      if (transition[i] >= from && transition[i] < to) return true;
    }
    return false;
  }

  __device__ int find(const EpisodeChanges& g, std::int32_t at) const {  // -1 where there is none
    for (int i = g.first; i < g.last; ++i) {
      if (transition[i] == at) return i;
    }
    return -1;
  }

  // The entry of by_episode that piece p of the update belongs to.
  __device__ int episode_of(int p) const {
    int low = 0;
    for (int high = episodes; high - low > 1;) {
      const int middle = (low + high) / 2;
      (by_episode[middle].pieces_before <= p ? low : high) = middle;
    }
    return low;
  }
};

// The block starts loading the stored data of the candidates; update_reaper() waits for the copies.
static __device__ __noinline__ void prefetch_reaper(const AgentSpec& spec, const AgentView& view,
                                                    const Shared& s, ReaperChanges& to) {
  constexpr int kWords = sizeof(ReaperEpisode) / 8;
  const ItemSubwarp subwarp = ItemSubwarp::of(spec.candidates);
  if (subwarp.item >= spec.candidates) return;
  const double* td = view.reaper.td + s.index[subwarp.item];
  const auto* episode =
      reinterpret_cast<const double*>(view.reaper.episode + s.entry[subwarp.item]);
  auto* words = reinterpret_cast<double*>(to.episode + subwarp.item);
#pragma unroll 1
  for (int i = subwarp.lane; i <= kWords; i += subwarp.size) {
    ptx::copy_eight(ptx::shared_address(i < kWords ? words + i : to.old_td + subwarp.item),
                    i < kWords ? episode + i : td);
  }
}

// The block sorts the drawn transitions.
__device__ inline void sort_changes(const Reaper& reaper, const Shared& s, ReaperChanges& out) {
  const AgentSpec& spec = reaper.spec;
  const auto oldest = static_cast<std::int32_t>(reaper.place(reaper.added));
  const auto capacity = static_cast<std::int32_t>(spec.capacity);
  const auto transition_of = [&](int row) {
    const std::int32_t slot = s.index[row];
    return slot - oldest + (slot < oldest ? capacity : 0);
  };
  const int n = spec.candidates;
  const ItemSubwarp subwarp = ItemSubwarp::of(n);
  const int mine = subwarp.item < n ? subwarp.item : 0;
  const std::int32_t own = transition_of(mine);
  int before = 0, twins = 0;
  for (int j = subwarp.lane; j < n; j += subwarp.size) {
    const std::int32_t other = transition_of(j);
    const bool twin = other == own && j < mine;
    before += other < own || twin ? 1 : 0;
    twins += twin ? 1 : 0;
  }
  before = subwarp.sum(before);
  twins = subwarp.sum(twins);
  ptx::wait_for_copies();
  __syncwarp();
  if (subwarp.item < n && subwarp.lane == 0) {
    const double error = fabs(static_cast<double>(fabsf(s.y_offline[mine] - s.q[mine])));
    const double td = error + spec.priority_eps;
    out.transition[before] = own;
    out.row[before] = mine;
    out.entry[before] = s.entry[mine];
    out.td[before] = twins == 0 ? td : 0.0;
    out.delta[before] = twins == 0 ? td - out.old_td[mine] : 0.0;
    out.factor[before] = quick_power(td, spec.priority_alpha);
  }
  if (thread_id() == 0) out.oldest = oldest;
  __syncthreads();
}

// One lane: updates the data of the episode whose changes begin with `first`.
__device__ inline void touch_episode(const Reaper& reaper, const ReaperView& data,
                                     const ReaperChanges& all, int first, EpisodeChanges& changed) {
  const AgentSpec& spec = reaper.spec;
  ReaperEpisode& at = data.episode[all.entry[first]];
  ReaperEpisode episode = all.episode[all.row[first]];
  int last = first;
  double sum = episode.sum;
  do {
    sum += all.delta[last++];
  } while (last < spec.candidates && all.entry[last] == all.entry[first]);
  const auto capacity = static_cast<std::int32_t>(spec.capacity);
  const auto slot_of = [&](std::int32_t transition) {
    const std::int32_t slot = all.oldest + transition;
    return slot < capacity ? slot : slot - capacity;
  };
  const std::int64_t zero = reaper.added - spec.capacity;
  const std::int64_t oldest = zero > 0 ? zero : 0;
  const std::int64_t from = episode.start > oldest ? episode.start : oldest;
  const std::int64_t recomputed = episode.recomputed_end - zero;
  changed.from = static_cast<std::int32_t>(from - zero);
  changed.to = static_cast<std::int32_t>(episode.end - zero);
  changed.at = slot_of(changed.from);
  if (episode.finished != 0) {
    // All errors are positive, so only rounding of enormous sums can violate this.
    episode.sum = sum > DBL_MIN ? sum : DBL_MIN;
    episode.sum_power = quick_power(episode.sum, -spec.omega);
    at.sum = episode.sum;
    at.sum_power = episode.sum_power;
    data.sum[slot_of(changed.to - 1)] = episode.sum;
  }
  at.recomputed_end = episode.end;
  changed.sum = episode.sum;
  changed.sum_power = episode.sum_power;
  changed.recomputed_end = recomputed > 0 ? static_cast<std::int32_t>(recomputed) : 0;
  changed.finished = static_cast<std::int32_t>(episode.finished);
  changed.first = first;
  changed.last = last;
  changed.count_pieces(spec);
}

// One warp splits the sorted changes by episode and updates the episodes' data.
__device__ inline void cut_changes(const Reaper& reaper, const ReaperView& data,
                                   ReaperChanges& all) {
  const int n = reaper.spec.candidates;
  int episodes = 0, pieces = 0;
  double largest = 0;
#pragma unroll 1
  for (int first = 0; first < n; first += 32) {
    const int i = first + lane_id();
    const bool there = i < n;
    const bool opens = there && (i == 0 || all.entry[i] != all.entry[i - 1]);
    const unsigned votes = __ballot_sync(kFullWarp, opens ? 1 : 0);
    const int at = episodes + __popc(votes & ((1U << lane_id()) - 1));
    int upto = 0;  // inclusive prefix sum of pieces
    if (opens) {
      touch_episode(reaper, data, all, i, all.by_episode[at]);
      upto = all.by_episode[at].pieces;
    }
    const int own = upto;
    __syncwarp();
    for (int o = 1; o < 32; o *= 2) {
      const int left = __shfl_up_sync(kFullWarp, upto, o);
      upto += lane_id() >= o ? left : 0;
    }
    if (opens) all.by_episode[at].pieces_before = pieces + upto - own;
    episodes += __popc(votes);
    pieces += __shfl_sync(kFullWarp, upto, 31);
    largest = there && all.td[i] > largest ? all.td[i] : largest;
  }
  largest = warp_max(largest);
  if (lane_id() == 0) {
    all.episodes = episodes;
    all.pieces = pieces;
    AgentState& state = reaper.state;
    state.max_td = largest > state.max_td ? largest : state.max_td;
  }
}

}  // namespace tarl::fleet
