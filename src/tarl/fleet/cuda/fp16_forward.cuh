// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/fp16_finish.cuh"

// H and Q of all candidates for a block of four warpgroups, and of the board to act on. A job is 64
// boards through one network; weights stream through shared memory once, whoever needs them.
namespace tarl::fleet {

// One warpgroup's share of a round.
struct Fp16Share {
  Fp16Job job;
  std::int32_t part;
  std::int32_t row0;  // first candidate
  std::int32_t turn;  // row i of the 64 is candidate row0 + (i ^ turn)
};

template <bool kSmall, int kKept>
struct Fp16Forward : Fp16Finish<kSmall, kKept> {
  using Finish = Fp16Finish<kSmall, kKept>;
  using Finish::acts, Finish::online_next, Finish::room, Finish::rows, Finish::s, Finish::spec;

  // The block. Boards: candidates' s, then their s', board_stride() apart.
  __device__ static void run() {
    const ChunkRange chunks = ChunkRange::of(spec());
    if (rows() <= 64) {
      run_round({true, true, !online_next(), chunks});
    } else {
      run_round({false, true, true, chunks});
      run_round({true, false, !online_next(), chunks});
    }
  }

 private:
  __device__ static std::uint32_t full(int slot) { return ptx::shared_address(&room().full[slot]); }

  __device__ static std::uint32_t empty(int slot) {
    return ptx::shared_address(&room().empty[slot]);
  }

  // Two warpgroups that share a job are two apart.
  __device__ static Fp16Share share(const Fp16Round& round) {
    const int group = warp_id() / 4, half = group / 2, other = group % 2;
    if (rows() > 64) {
      if (!round.split)
        return {half == 0 ? Fp16Job::kOnline : Fp16Job::kOnlineNext, 0, other * 64, 0};
      return {round.online ? Fp16Job::kOnline : Fp16Job::kTargetNext, half, other * 64, 0};
    }
    if (round.split) {
      return {other == 0 ? Fp16Job::kOnline : Fp16Job::kTargetNext, 2 * other + half, 0,
              half * Finish::shared_turn()};
    }
    const auto job = static_cast<Fp16Job>(group);
    if (job == Fp16Job::kAct && !acts()) return {Fp16Job::kNone, 0, 0, 0};
    return {job, job == Fp16Job::kTargetNext ? 1 : 0, 0, 0};
  }

  // Candidates of a job; acting rides as one more where no warpgroup is free for it.
  __device__ static int end_of(const Fp16Share& mine, bool split) {
    switch (mine.job) {
      case Fp16Job::kNone:
        return 0;
      case Fp16Job::kAct:
        return 1;
      case Fp16Job::kOnline:
        return rows() + (split && acts() ? 1 : 0);
      default:
        return rows();
    }
  }

  __device__ static const std::byte* board(Fp16Job job, int row) {
    const int stride = board_stride(spec());
    if (Finish::is_act(job, row)) return s().act_obs[0];
    const int candidate = row < rows() ? row : rows() - 1;
    return room().boards + (job == Fp16Job::kOnline ? candidate : rows() + candidate) * stride;
  }

  // Places in the block's memory.
  __device__ static std::uint32_t offset_of(const void* p) {
    return ptx::shared_address(p) - ptx::shared_address(&room());
  }

  __device__ static const std::byte* at_offset(std::uint32_t offset) {
    return reinterpret_cast<const std::byte*>(&room()) + offset;
  }

  // Which of every four stages a warp takes part in, as bits.
  __device__ static int stages_of_warp(bool work, bool acts, int warp) {
    return !work ? 0 : acts ? 1 << warp % 4 : 0xF;
  }

  // One thread asks for a stage.
  __device__ static void ask(const Fp16Round& round, int stage) {
    const PackedView packed = PackedView::of(s().view);
    const int parts = round.parts(), slot = stage % round.depth();
    ptx::barrier_expect(full(slot), static_cast<std::uint32_t>(parts * kChunkBytes));
    for (int part = 0; part < parts; ++part) {
      const uint4* from = round.of_target(part) ? packed.target : packed.high;
      ptx::bulk_load(ptx::shared_address(room().chunk(slot * parts + part)),
                     from + (round.first_chunk(part) + stage) * (kChunkBytes / 16), kChunkBytes,
                     full(slot));
    }
  }

  __device__ static __forceinline__ void run_round(const Fp16Round& round) {
    // A thread of a warp that has no rows in the usual rounds.
    const bool asks = thread_id() == kThreads - 96;
    const int warp = warp_id(), lane = lane_id(), g = lane / 4;
    const Fp16Share mine = share(round);
    // Acting is one row: the four warps have every fourth stage each.
    const bool act = mine.job == Fp16Job::kAct;
    const int row0 = act ? 0 : mine.row0 + ((warp % 4 * 16) ^ mine.turn);
    const int end = end_of(mine, round.split);
    const bool work = row0 < end;
    const int stages = round.stages(), depth = round.depth();
    const std::uint32_t stage_bytes = static_cast<std::uint32_t>(round.parts()) * kChunkBytes;
    std::uint32_t operand = ptx::shared_address(room().chunk(mine.part));
    const std::uint32_t channels = kSmall ? 4U : static_cast<std::uint32_t>(spec().net.channels);
    const uint4* conv =
        (mine.job == Fp16Job::kTargetNext ? room().conv_target : room().conv)[0] + lane;
    room().lane_state()[thread_id()] = {
        offset_of(board(mine.job, row0 + g)), offset_of(board(mine.job, row0 + g + 8)),
        offset_of(conv), static_cast<std::uint16_t>(round.first_chunk(mine.part)),
        static_cast<std::uint16_t>(stages_of_warp(work, act, warp))};

    ptx::fence_bulk_shared();
    __syncthreads();
    if (asks) {
      for (int stage = 0; stage < depth && stage < stages; ++stage) ask(round, stage);
    }
    __syncwarp();
    typename Finish::Sums sum;
#pragma unroll
    for (int j = 0; j < 16; ++j) sum[j][0] = sum[j][1] = sum[j][2] = sum[j][3] = 0.0F;
    std::uint32_t features[2][4];  // by turns
    std::uint32_t phases = room().ring_phases[warp];
    int slot = 0;
#pragma unroll 1
    for (int stage = 0; stage < stages; ++stage) {
      const LaneState state = room().lane_state()[thread_id()];
      const std::uint32_t chunk = state.first_chunk + static_cast<std::uint32_t>(stage);
      const int x0 = static_cast<int>(chunk % 2) * kChunkPlaces;
      const bool now = (state.stages >> (stage % 4) & 1U) != 0;
      const auto* conv = reinterpret_cast<const uint4*>(at_offset(state.conv));
      const int t = lane_id() % 4;
      RowOfWindows<kSmall> windows0, windows8;
      windows0.load(at_offset(state.board0), channels, chunk / 2);
      windows8.load(at_offset(state.board8), channels, chunk / 2);
#pragma unroll
      for (int i = 0; i < kChunkPlaces; ++i) {
        std::uint32_t(&x)[4] = features[i % 2];
        if (i >= 2) ptx::wgmma_wait_but_one();
        if (now) {
          Window<kSmall> a, b;
          windows0.at(x0 + i, t, a);
          windows8.at(x0 + i, t, b);
          ConvWeights<kSmall> weights;  // read again each time: registers are scarce
#pragma unroll
          for (int k = 0; k < ConvShape<kSmall>::kSteps; ++k) weights[k] = conv[k * 32];
          conv_rows<kSmall>(a, b, weights, x);
        } else {
          x[0] = x[1] = x[2] = x[3] = 0;
        }
        if (i == 0) ptx::barrier_wait(full(slot), (phases >> slot) & 1);
        ptx::wgmma_fence();
        ptx::wgmma_128(sum, x[0], x[1], x[2], x[3],
                       ptx::wgmma_operand(operand + i * 4 * kMatrix, 2 * kMatrix, 2 * kUnitsRow));
        ptx::wgmma_commit();
      }
      ptx::wgmma_wait(sum);
      __syncwarp();
      if (lane == 0) ptx::barrier_arrive(empty(slot));
      if (asks && stage + depth < stages) {
        ptx::barrier_wait(empty(slot), (phases >> slot) & 1);
        ask(round, stage + depth);
      }
      __syncwarp();
      phases ^= 1U << slot;
      const bool last = slot == depth - 1;
      operand += last ? stage_bytes - static_cast<std::uint32_t>(depth) * stage_bytes : stage_bytes;
      slot = last ? 0 : slot + 1;
    }
    if (lane == 0) room().ring_phases[warp] = phases;
    __syncthreads();
    const bool alone = spec().blocks == 1;
    const bool lends = !alone || act || (round.split && !Finish::owns_shared(warp / 4));
    if (work && lends) Finish::lend_sums(sum);
    if (!alone || round.split || acts()) meet(spec());
    if (!alone) {
      Finish::finish_rows(round);
    } else if (work && !lends) {
      if (round.split) Finish::add_lent_sums(sum);
      Finish::finish_own(mine.job, row0, end, sum);
    } else if (act && warp % 4 == 0) {
      Finish::finish_row(round, Fp16Job::kAct, 0, lane < 16, lane);
    }
    meet(spec());
  }
};

}  // namespace tarl::fleet
