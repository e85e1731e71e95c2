// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/reaper_changes.cuh"

// ReaperPriorities::update for a block. An episode's transitions lie in pieces of blocks. Threads
// take a piece each where it moves as a whole, warps take those whose rows must be looked at.
namespace tarl::fleet {

class ReaperUpdate {
 public:
  __device__ ReaperUpdate(const Reaper& reaper, ReaperChanges& all)
      : reaper_(reaper), books_(in_global(reaper.view.reaper)), all_(all) {}

  __device__ void run(Shared& s) {
    sort_changes(reaper_, books_, s, all_);
    renew_sum_maxima();
    for (int first = 0; first < all_.pieces; first += kThreads) touch_pieces(first);
    reaper_.view.tree.add_up_all();
    renew_maxima(s);
  }

 private:
  // What is left to do for a piece.
  enum Work : int { kNone, kRows, kCloseAnew, kLeaf };

  // Whether the leaf of a closed block follows from its sum; then one thread sets it.
  __device__ bool set_leaf(const ReaperGroup& group, std::int64_t block, double smallest,
                           double sum) const {
    if (!(smallest >= kLeastReliability * group.sum)) return false;
    reaper_.view.tree.values(0)[block] = sum * group.sum_power;
    return true;
  }

  // One thread.
  __device__ Work touch_whole(const ReaperGroup& group, const ReaperPiece& piece) const {
    PowerBlock& at = books_.block[piece.block];
    PowerBlock block = at;
    const double shift = all_.shift_before(group, piece.transition);
    const bool changes = all_.any_in(group, piece.transition, piece.end());
    if (block.closed == 0) {
      return changes || shift != 0 || piece.end() > group.recomputed_end ? kRows : kLeaf;
    }
    if (changes) return kRows;
    if (shift != 0) {
      const bool within = shift_block(block, shift);
      at.shift = block.shift;
      if (!within) return kCloseAnew;
      at.sum = block.sum;
    }
    return set_leaf(group, piece.block, block.smallest + block.shift, block.sum) ? kNone : kLeaf;
  }

  // A lane's part of a piece that a warp works on.
  struct Rows {
    const ReaperGroup* group;
    ReaperPiece piece;
    PowerRow row;
    double shift;
    std::int64_t closed;

    __device__ std::int64_t at() const { return piece.block * kBlockRows + lane_id(); }

    __device__ bool mine() const { return at() >= piece.first && at() < piece.last; }
  };

  __device__ Rows load_rows(int p) const {
    const ReaperGroup& group = all_.group_of(p);
    Rows rows{&group, group.piece(reaper_.spec, p - group.pieces_before), {}, 0, 0};
    if (rows.mine()) rows.row = books_.row[rows.at()];
    rows.shift = books_.block[rows.piece.block].shift;
    rows.closed = books_.block[rows.piece.block].closed;
    return rows;
  }

  // One warp. True where the leaf is set, too.
  __device__ bool touch_rows(Rows& rows, bool close_anew) const {
    const AgentSpec& spec = reaper_.spec;
    if (rows.mine()) {
      PowerRow& row = rows.row;
      const std::int64_t at = rows.at();
      if (rows.shift != 0) apply_shift(spec, row, rows.shift);
      if (close_anew) {
        row.value = row.factor * power(row.base, spec.omega);
      } else {
        touch_row(*rows.group, rows.piece.transition + at - rows.piece.first, at, row);
      }
      books_.row[at] = row;
    }
    __syncwarp();
    if (rows.closed == 0) return false;
    const double sum = close_block(spec, books_, rows.piece.block, rows.row);
    const bool set = lane_id() == 0 && set_leaf(*rows.group, rows.piece.block, rows.row.base, sum);
    return __any_sync(kFullWarp, set ? 1 : 0) != 0;
  }

  __device__ void touch_row(const ReaperGroup& group, std::int64_t transition, std::int64_t at,
                            PowerRow& row) const {
    const AgentSpec& spec = reaper_.spec;
    const double shift = all_.shift_before(group, transition + 1);
    const int change = all_.find(group, transition);
    if (change < 0 && shift == 0 && transition < group.recomputed_end) return;
    if (change < 0 && group.finished != 0) {
      apply_shift(spec, row, shift);
      return;
    }
    if (change >= 0) {
      books_.td[at] = all_.td[change];
      row.factor = all_.factor[change];
    }
    row.base += shift;
    const double base =
        group.finished != 0 ? row.base : running_reliability(row.base, books_.sum[at]);
    row.value = row.factor * power(base, spec.omega);
  }

  // The block: pieces first, first + 1, ..., one for each thread.
  __device__ void touch_pieces(int first) const {
    const int p = first + thread_id();
    Work work = kNone;
    std::int64_t block = 0;
    if (p < all_.pieces) {
      const ReaperGroup& group = all_.group_of(p);
      const ReaperPiece piece = group.piece(reaper_.spec, p - group.pieces_before);
      work = touch_whole(group, piece);
      block = piece.block;
    }
    const unsigned votes = __ballot_sync(kFullWarp, work != kNone ? 1 : 0);
    if (lane_id() == 0) all_.counts[warp_id()] = __popc(votes);
    __syncthreads();
    int at = __popc(votes & ((1U << lane_id()) - 1)), count = 0;
    for (int w = 0; w < kWarps; ++w) {
      at += w < warp_id() ? all_.counts[w] : 0;
      count += all_.counts[w];
    }
    if (work != kNone) all_.work[at] = {p, work, static_cast<std::int32_t>(block)};
    __syncthreads();
    touch_listed(count);
    // Neighbouring episodes share blocks, so sums over blocks wait for all of them.
    __syncthreads();
    renew_listed_leaves(count);
  }

  __device__ void touch_listed(int count) const {
    for (int i = warp_id(); i < count; i += kWarps) {
      const ReaperWork item = all_.work[i];
      __syncwarp();
      if (item.work == kLeaf) continue;
      Rows rows = load_rows(item.piece);
      if (touch_rows(rows, item.work == kCloseAnew) && lane_id() == 0) all_.work[i].block = -1;
    }
  }

  // Leaves of listed blocks that do not have them yet, a few at a time.
  __device__ void renew_listed_leaves(int count) const {
    constexpr int kMany = 4;
    for (int first = warp_id(); first < count; first += kMany * kWarps) {
      std::int64_t block[kMany];
      double weight[kMany];
#pragma unroll
      for (int i = 0; i < kMany; ++i) {
        const int at = first + i * kWarps;
        block[i] = at < count ? all_.work[at].block : -1;
      }
      reaper_.lane_weights(block, weight);
#pragma unroll
      for (int i = 0; i < kMany; ++i) {
        const double sum = warp_sum(weight[i]);
        if (block[i] >= 0 && lane_id() == 0) reaper_.view.tree.values(0)[block[i]] = sum;
      }
    }
  }

  // The largest S beside the last transition of every episode that ended.
  __device__ void renew_sum_maxima() const {
    for (int first = 0; first < all_.groups; first += kTeams) {
      const int g = first + team_id();
      const bool there = g < all_.groups && all_.group[g].finished != 0;
      const std::int64_t chunk = there ? reaper_.place(all_.group[g].to - 1) / 32 : 0;
      double largest = 0;
#pragma unroll
      for (int i = 0; i < 32 / kTeam; ++i) {
        const std::int64_t at = chunk * 32 + i * kTeam + team_member();
        const double value = there && at < reaper_.spec.capacity ? books_.sum[at] : 0.0;
        largest = value > largest ? value : largest;
      }
#pragma unroll
      for (int o = 1; o < kTeam; o *= 2) {
        const double other = __shfl_xor_sync(kFullWarp, largest, o);
        largest = other > largest ? other : largest;
      }
      if (there && team_member() == 0) books_.sum_max[chunk] = largest;
    }
  }

  __device__ void renew_maxima(Shared& s) const {
    double largest_td = 0, largest_sum = 0;
    for (int i = thread_id(); i < all_.changes; i += kThreads) {
      largest_td = all_.td[i] > largest_td ? all_.td[i] : largest_td;
    }
    const auto chunks = static_cast<int>((reaper_.spec.capacity + 31) / 32);
#pragma unroll 8
    for (int i = thread_id(); i < chunks; i += kThreads) {
      const double value = books_.sum_max[i];
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

  const Reaper reaper_;
  const ReaperView books_;
  ReaperChanges& all_;
};

// The block: |offline errors| of everything drawn.
static __device__ __noinline__ void update_reaper(const AgentSpec& spec, const AgentView& view,
                                                  Shared& s, ReaperChanges& changes) {
  ReaperUpdate(Reaper{spec, view, s.head, s.added}, changes).run(s);
}

}  // namespace tarl::fleet
