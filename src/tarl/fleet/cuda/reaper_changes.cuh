// SPDX-License-Identifier: MIT
#pragma once

#include <cfloat>

#include "tarl/fleet/cuda/reaper.cuh"

// What an update brings ReaPER's books: new errors, sorted by transition and cut by episode.
namespace tarl::fleet {

// Part of a block that holds transitions of one episode: slots [first, last).
struct ReaperPiece {
  std::int64_t block, first, last, transition;  // the one at `first`

  __device__ std::int64_t end() const { return transition + last - first; }
};

// Changes [first, last) are of one episode.
struct ReaperGroup {
  std::int64_t from, to;  // its transitions that are still there
  std::int64_t at;        // slot of `from`
  std::int64_t recomputed_end, finished;
  double sum, sum_power;
  std::int32_t first, last;
  std::int32_t pieces, pieces_before;  // from `at` up, then from slot 0 up

  __device__ ReaperPiece piece(const AgentSpec& spec, int i) const {
    const std::int64_t begin = at / kBlockRows, blocks = (spec.capacity - 1) / kBlockRows + 1;
    const bool around = begin + i >= blocks;
    ReaperPiece piece;
    piece.block = begin + i - (around ? blocks : 0);
    const std::int64_t low = piece.block * kBlockRows, high = low + kBlockRows;
    const std::int64_t zero = from - at + (around ? spec.capacity : 0);  // transition of slot 0
    const std::int64_t end = around                      ? to - zero
                             : to - zero < spec.capacity ? to - zero
                                                         : spec.capacity;
    piece.first = !around && low < at ? at : low;
    piece.last = high < end ? high : end;
    piece.transition = zero + piece.first;
    return piece;
  }

  __device__ void count_pieces(const AgentSpec& spec) {
    const std::int64_t room = spec.capacity - at, n = to - from;
    const std::int64_t end = n < room ? at + n : spec.capacity;
    pieces = static_cast<std::int32_t>((end - 1) / kBlockRows - at / kBlockRows + 1);
    if (n > room) pieces += static_cast<std::int32_t>((n - room - 1) / kBlockRows + 1);
  }
};

// A piece for a whole warp. The block is -1 once its leaf is set.
struct ReaperWork {
  std::int32_t piece, work, block;
};

struct ReaperChanges {
  std::int64_t drawn[kMaxCandidates];  // transition of each candidate
  std::int64_t transition[kMaxCandidates];
  double td[kMaxCandidates];
  double factor[kMaxCandidates];  // td^alpha
  double delta[kMaxCandidates];   // new td - old td
  std::uint32_t entry[kMaxCandidates];
  std::int32_t mark[kMaxCandidates];
  ReaperGroup group[kMaxCandidates];
  ReaperWork work[kThreads];
  std::int32_t counts[kWarps];
  std::int32_t changes, groups, pieces;

  // By how much C changes before (or, inclusively, up to) a transition.
  __device__ double shift_before(const ReaperGroup& g, std::int64_t at) const {
    double shift = 0;
    for (int i = g.first; i < g.last && transition[i] < at; ++i) shift += delta[i];
    return shift;
  }

  __device__ bool any_in(const ReaperGroup& g, std::int64_t from, std::int64_t to) const {
    for (int i = g.first; i < g.last; ++i) {
      if (transition[i] >= from && transition[i] < to) return true;
    }
    return false;
  }

  __device__ int find(const ReaperGroup& g, std::int64_t at) const {  // -1 where there is none
    for (int i = g.first; i < g.last; ++i) {
      if (transition[i] == at) return i;
    }
    return -1;
  }

  // The group that piece p of all is of.
  __device__ const ReaperGroup& group_of(int p) const {
    int low = 0;
    for (int high = groups; high - low > 1;) {
      const int middle = (low + high) / 2;
      (group[middle].pieces_before <= p ? low : high) = middle;
    }
    return group[low];
  }
};

// A few neighbouring threads share an item, of which there are at most kMaxCandidates.
struct ItemTeam {
  int size, item, me;

  __device__ static ItemTeam of(int items) {
    const int size = items <= 64 ? 8 : items <= 128 ? 4 : 2;
    return {size, thread_id() / size, thread_id() % size};
  }

  __device__ int sum(int value) const {
    for (int o = 1; o < size; o *= 2) value += __shfl_xor_sync(kFullWarp, value, o);
    return value;
  }
};

// One thread: the books of an episode whose changes begin with `first`.
__device__ inline void touch_episode(const Reaper& reaper, const ReaperView& books,
                                     const ReaperChanges& all, int first, ReaperGroup& group) {
  EpisodeBooks& at = books.episode[all.entry[first]];
  EpisodeBooks episode = at;
  group.first = first;
  group.last = first;
  double sum = episode.sum;
  do {
    sum += all.delta[group.last++];
  } while (group.last < all.changes && all.mark[group.last] == 0);
  if (episode.finished != 0) {
    // A sum of positive errors; only rounding of enormous ones could say otherwise.
    episode.sum = sum > DBL_MIN ? sum : DBL_MIN;
    episode.sum_power = quick_power(episode.sum, -reaper.spec.omega);
    at.sum = episode.sum;
    at.sum_power = episode.sum_power;
    books.sum[reaper.place(episode.end - 1)] = episode.sum;
  }
  at.recomputed_end = episode.end;
  const std::int64_t oldest = reaper.oldest();
  group.from = episode.start > oldest ? episode.start : oldest;
  group.to = episode.end;
  group.at = reaper.place(group.from);
  group.recomputed_end = episode.recomputed_end;
  group.finished = episode.finished;
  group.sum = episode.sum;
  group.sum_power = episode.sum_power;
  group.count_pieces(reaper.spec);
}

// The block sorts what was drawn by transition, of one drawn twice the first error counts, and
// brings the books of the episodes up to date.
__device__ inline void sort_changes(const Reaper& reaper, const ReaperView& books, const Shared& s,
                                    ReaperChanges& out) {
  const AgentSpec& spec = reaper.spec;
  const std::int64_t newest = reaper.added - 1;
  const int n = spec.candidates;
  const ItemTeam team = ItemTeam::of(n);
  const int mine = team.item;
  const bool leads = mine < n && team.me == 0;
  double old_td = 0;
  std::uint32_t entry = 0;
  if (leads) {
    old_td = books.td[s.index[mine]];
    entry = books.entry[s.index[mine]];
  }
  int twins = 0;
  for (int j = team.me; mine < n && j < mine; j += team.size) {
    twins += s.index[j] == s.index[mine] ? 1 : 0;
  }
  const bool counts = team.sum(twins) == 0;
  if (leads) {
    out.mark[mine] = counts ? 1 : 0;
    out.drawn[mine] = newest - remainder_of(newest - s.index[mine], spec.capacity);
  }
  __syncthreads();
  int before = 0;
  for (int j = team.me; mine < n && j < n; j += team.size) {
    before += out.mark[j] != 0 && out.drawn[j] < out.drawn[mine] ? 1 : 0;
  }
  before = team.sum(before);
  if (leads && counts) {
    const double error = fabs(static_cast<double>(fabsf(s.y_offline[mine] - s.q[mine])));
    const double td = error + spec.priority_eps;
    out.transition[before] = out.drawn[mine];
    out.td[before] = td;
    out.factor[before] = quick_power(td, spec.priority_alpha);
    out.delta[before] = td - old_td;
    out.entry[before] = entry;
  }
  const int changes = __syncthreads_count(leads && counts);
  const bool opens =
      leads && mine < changes && (mine == 0 || out.entry[mine] != out.entry[mine - 1]);
  if (leads && mine < changes) out.mark[mine] = opens ? 1 : 0;
  if (thread_id() == 0) out.changes = changes;
  const int groups = __syncthreads_count(opens);
  before = 0;
  for (int j = team.me; mine < changes && j < mine; j += team.size) before += out.mark[j];
  before = team.sum(before);
  if (opens) touch_episode(reaper, books, out, mine, out.group[before]);
  __syncthreads();
  before = 0;
  for (int j = team.me; mine < groups && j < mine; j += team.size) before += out.group[j].pieces;
  before = team.sum(before);
  if (mine < groups && team.me == 0) {
    out.group[mine].pieces_before = before;
    if (mine + 1 == groups) {
      out.groups = groups;
      out.pieces = before + out.group[mine].pieces;
    }
  }
  __syncthreads();
}

}  // namespace tarl::fleet
