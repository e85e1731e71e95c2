// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/replay/reaper_changes.cuh"

// ReaperPriorities::update on one thread block. An episode's transitions cover pieces of groups. A
// thread handles a piece that shifts as a whole; a warp handles one whose rows must be inspected.
namespace tarl::fleet {

class ReaperUpdate {
 public:
  __device__ ReaperUpdate(const Reaper& reaper, ReaperChanges& all)
      : reaper_(reaper), data_(in_global(reaper.view.reaper)), all_(all) {}

  __device__ void run(Shared& s) {
    sort_changes(reaper_, s, all_);
    if (warp_id() == 0) cut_changes(reaper_, data_, all_);
    __syncthreads();
    SumLevels::Four sums = near_sums(0);  // issued early, ahead of the waits below
#pragma unroll 1
    for (int first = 0; first < all_.pieces; first += kThreads) {
      if (first > 0) __syncthreads();
      const Piece mine = touch_piece(first + lane_id() * kWarps + warp_id());
      unsigned leaves = touch_rows(mine);
      // Neighbouring episodes share groups, so the leaves are summed after all pieces are done.
      __syncthreads();
      renew_leaves(mine, leaves);
    }
#pragma unroll 1
    for (int first = 0; first < all_.episodes; first += kSubwarps) {
      if (first > 0) sums = near_sums(first);
      renew_sum_max(first, sums);
    }
    add_up(s);
  }

 private:
  // The remaining work on a piece.
  enum Work : int { kNone, kRows, kCloseAnew, kLeaf };

  // A thread's piece and the episode it belongs to.
  struct Piece {
    ReaperPiece at;
    std::int32_t episode;
    Work work;
  };

  // One thread: sets the leaf of a closed group from its sum. Returns false if the sum alone does
  // not determine it.
  __device__ bool set_leaf(const EpisodeChanges& changed, std::int32_t group, double smallest,
                           double sum) const {
    if (!(smallest >= kLeastReliability * changed.sum)) return false;
    reaper_.view.tree.values(0)[group] = sum * changed.sum_power;
    return true;
  }

  // One thread: shifts a closed piece as a whole; returns what a warp must still do.
  __device__ Work touch_whole(const EpisodeChanges& changed, const ReaperPiece& piece) const {
    PowerGroup& at = data_.group[piece.group];
    PowerGroup group = at;
    const double shift = all_.shift_before(changed, piece.transition);
    const bool changes = all_.any_in(changed, piece.transition, piece.end());
    if (group.closed == 0) {
      return changes || shift != 0 || piece.end() > changed.recomputed_end ? kRows : kLeaf;
    }
    if (changes) return kRows;
    if (shift != 0) {
      const bool within = shift_group(group, shift);
      at.shift = group.shift;
      if (!within) return kCloseAnew;
      at.sum = group.sum;
    }
    return set_leaf(changed, piece.group, group.smallest + group.shift, group.sum) ? kNone : kLeaf;
  }

  // One thread, for piece p of the update, if there is one.
  __device__ Piece touch_piece(int p) const {
    Piece mine{{}, 0, kNone};
    if (p >= all_.pieces) return mine;
    mine.episode = all_.episode_of(p);
    const EpisodeChanges& changed = all_.by_episode[mine.episode];
    mine.at = changed.piece(reaper_.spec, p - changed.pieces_before);
    mine.work = touch_whole(changed, mine.at);
    return mine;
  }

  // A lane's rows of a piece that its warp works on.
  struct Rows {
    ReaperPiece piece;
    std::int32_t episode, lane;  // of the piece
    PowerRow row;
    double shift, sum;
    std::int64_t closed;

    __device__ std::int32_t at() const { return piece.group * kPowerRows + lane_id(); }

    __device__ bool mine() const { return at() >= piece.first && at() < piece.last; }
  };

  __device__ Rows load_rows(const Piece& of, int lane) const {
    const auto from = [&](std::int32_t value) { return __shfl_sync(kFullWarp, value, lane); };
    Rows rows{{from(of.at.group), from(of.at.first), from(of.at.last), from(of.at.transition)},
              from(of.episode),
              lane,
              {},
              0,
              0,
              0};
    if (rows.mine()) {
      rows.row = data_.row[rows.at()];
      rows.sum = data_.sum[rows.at()];
    }
    rows.shift = data_.group[rows.piece.group].shift;
    rows.closed = data_.group[rows.piece.group].closed;
    return rows;
  }

  // One warp processes the rows of its lanes' pieces, loading the next piece meanwhile. Returns a
  // mask of the lanes whose groups still need a leaf.
  __device__ unsigned touch_rows(const Piece& mine) const {
    unsigned left = __ballot_sync(kFullWarp, mine.work == kRows || mine.work == kCloseAnew);
    unsigned leaves = __ballot_sync(kFullWarp, mine.work != kNone);
    const unsigned anew = __ballot_sync(kFullWarp, mine.work == kCloseAnew);
    Rows rows{};
    bool loaded = false;
#pragma unroll 1
    while (loaded || left != 0) {
      Rows next{};
      const bool more = left != 0;
      if (more) next = load_rows(mine, __ffs(static_cast<int>(left)) - 1);
      left &= left - 1;
      if (loaded && touch_rows(rows, (anew >> rows.lane & 1U) != 0)) leaves &= ~(1U << rows.lane);
      rows = next;
      loaded = more;
    }
    return leaves;
  }

  // One warp. Returns whether the leaf has been set as well.
  __device__ bool touch_rows(Rows& rows, bool close_anew) const {
    const AgentSpec& spec = reaper_.spec;
    const EpisodeChanges& changed = all_.by_episode[rows.episode];
    if (rows.mine()) {
      PowerRow& row = rows.row;
      const std::int32_t at = rows.at();
      if (rows.shift != 0) apply_shift(spec, row, rows.shift);
      if (close_anew) {
        row.value = row.factor * power(row.base, spec.omega);
      } else {
        touch_row(changed, rows.piece.transition + at - rows.piece.first, at, rows.sum, row);
      }
      data_.row[at] = row;
    }
    __syncwarp();
    if (rows.closed == 0) return false;
    const double sum = close_group(spec, data_, rows.piece.group, rows.row);
    const bool set = lane_id() == 0 && set_leaf(changed, rows.piece.group, rows.row.base, sum);
    return __any_sync(kFullWarp, set ? 1 : 0) != 0;
  }

  __device__ void touch_row(const EpisodeChanges& changed, std::int32_t transition, std::int32_t at,
                            double sum, PowerRow& row) const {
    const AgentSpec& spec = reaper_.spec;
    const double shift = all_.shift_before(changed, transition + 1);
    const int change = all_.find(changed, transition);
    if (change < 0 && shift == 0 && transition < changed.recomputed_end) return;
    if (change < 0 && changed.finished != 0) {
      apply_shift(spec, row, shift);
      return;
    }
    if (change >= 0) {
      data_.td[at] = all_.td[change];
      row.factor = all_.factor[change];
    }
    row.base += shift;
    const double base = changed.finished != 0 ? row.base : replay::reliability(row.base, sum);
    row.value = row.factor * power(base, spec.omega);
  }

  // One warp: leaves of the groups that these lanes' pieces lie in, a few at a time.
  __device__ void renew_leaves(const Piece& mine, unsigned lanes) const {
#pragma unroll 1
    while (lanes != 0) {
      std::int32_t group[kFew];
#pragma unroll
      for (int i = 0; i < kFew; ++i) {
        const int lane = __ffs(static_cast<int>(lanes)) - 1;
        const std::int32_t theirs = __shfl_sync(kFullWarp, mine.at.group, lane & 31);
        group[i] = lanes != 0 ? theirs : -1;
        lanes &= lanes - 1;
      }
      const FewWeights weights = lane_weights(reaper_.spec, reaper_.view, reaper_.state,
                                              make_int4(group[0], group[1], group[2], group[3]));
#pragma unroll
      for (int i = 0; i < kFew; ++i) {
        const double sum = warp_sum(weights.of[i]);
        if (group[i] >= 0 && lane_id() == 0) reaper_.view.tree.values(0)[group[i]] = sum;
      }
    }
  }

  // The chunk that holds the sum of a subwarp's episode, or -1. Finished episodes keep it at their
  // last transition.
  __device__ std::int32_t chunk_of(int first) const {
    const int g = first + subwarp_id();
    if (g >= all_.episodes || all_.by_episode[g].finished == 0) return -1;
    const std::int32_t at =
        all_.by_episode[g].at + all_.by_episode[g].to - all_.by_episode[g].from - 1;
    const auto capacity = static_cast<std::int32_t>(reaper_.spec.capacity);
    return (at < capacity ? at : at - capacity) / 32;
  }

  // This thread's share of the 32 sums of that chunk.
  __device__ SumLevels::Four near_sums(int first) const {
    const std::int32_t chunk = chunk_of(first);
    if (chunk < 0) return {};
    return *reinterpret_cast<const SumLevels::Four*>(data_.sum + chunk * 32 + subwarp_lane() * 4);
  }

  // The maximum of the chunk's 32 sums.
  __device__ void renew_sum_max(int first, const SumLevels::Four& sums) const {
    const std::int32_t chunk = chunk_of(first);
    double largest = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) largest = sums.v[i] > largest ? sums.v[i] : largest;
#pragma unroll
    for (int o = 1; o < kSubwarpSize; o *= 2) {
      const double other = __shfl_xor_sync(kFullWarp, largest, o);
      largest = other > largest ? other : largest;
    }
    if (chunk >= 0 && subwarp_lane() == 0) data_.sum_max[chunk] = largest;
  }

  // The block, once leaves and maxima are written: recomputes the levels above.
  __device__ void add_up(Shared& s) const {
    constexpr int kEarly = 8;
    const SumLevels& tree = reaper_.view.tree;
    const auto chunks = static_cast<int>((reaper_.spec.capacity + 31) / 32);
    double early[kEarly];
    __syncthreads();
    // Issued before the barrier that waits for the leaves.
#pragma unroll
    for (int i = 0; i < kEarly; ++i) {
      const int chunk = i * kThreads + thread_id();
      early[i] = chunk < chunks ? data_.sum_max[chunk] : 0.0;
    }
    if (tree.levels > 1) tree.add_up_level(0);
    double largest = 0;
#pragma unroll
    for (int i = 0; i < kEarly; ++i) largest = early[i] > largest ? early[i] : largest;
#pragma unroll 1
    for (int i = kEarly * kThreads + thread_id(); i < chunks; i += kThreads) {
      const double value = data_.sum_max[i];
      largest = value > largest ? value : largest;
    }
    largest = warp_max(largest);
    if (lane_id() == 0) s.scratch[warp_id()] = largest;
    __syncthreads();
#pragma unroll 1
    for (int l = 1; l + 1 < tree.levels; ++l) {
      tree.add_up_level(l);
      __syncthreads();
    }
    if (warp_id() == 0) {
      largest = warp_max(lane_id() < kWarps ? s.scratch[lane_id()] : 0.0);
      if (lane_id() == 0) s.state.max_sum = largest;
    }
  }

  const Reaper reaper_;
  const ReaperView data_;
  ReaperChanges& all_;
};

// The block applies the new |offline errors| of all drawn transitions.
static __device__ __noinline__ void update_reaper(const AgentSpec& spec, const AgentView& view,
                                                  Shared& s, ReaperChanges& changes) {
  ReaperUpdate(Reaper{spec, view, s.state, s.added}, changes).run(s);
}

}  // namespace tarl::fleet
