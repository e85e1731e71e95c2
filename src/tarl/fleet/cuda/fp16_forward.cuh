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
    const bool apart = rows() > 64;  // the target network passes first, by itself
#pragma unroll 1
    for (int round = apart ? 0 : 1; round < 2; ++round) {
      const bool last = round == 1;
      run_round({last, !last || !apart, !last || !online_next(), chunks});
    }
  }

 private:
  __device__ static std::uint32_t full(int slot) {
    return ptx::shared_address(&room().full[slot]);
  }

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
    return rows() + (mine.job == Fp16Job::kOnline && split && acts() ? 1 : 0);
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

  // One thread asks for stages, from streams it looks up: worked out anew for every stage they made
  // its warp the last one to finish.
  __device__ static void begin_streams(const Fp16Round& round) {
    const PackedView packed = PackedView::of(s().view);
#pragma unroll 1
    for (int part = 0; part < round.parts(); ++part) {
      const bool target = round.of_target(part);
      room().streams[part] = {
          (target ? packed.target : packed.high) + round.first_chunk(part) * (kChunkBytes / 16),
          target ? ptx::kOnce : ptx::kOften};
    }
  }

  __device__ static void ask(int parts, int stage, int slot) {
    ptx::barrier_expect(full(slot), static_cast<std::uint32_t>(parts * kChunkBytes));
#pragma unroll 1
    for (int part = 0; part < parts; ++part) {
      const WeightStream& stream = room().streams[part];
      ptx::bulk_load(ptx::shared_address(room().chunk(slot * parts + part)),
                     stream.from + stage * (kChunkBytes / 16), kChunkBytes, full(slot),
                     stream.hint);
    }
  }

  // A thread of a warp that has no rows in the usual rounds.
  __device__ static bool asks() {
    return thread_id() == kThreads - 96;
  }

  // A warp has used a stage; then one thread asks for the one that takes its place, if any.
  __device__ static void leave_stage(int parts, int slot, std::uint32_t phase, int next, int end) {
    __syncwarp();
    if (lane_id() == 0) ptx::barrier_arrive(empty(slot));
    if (asks() && next < end) {
      ptx::barrier_wait(empty(slot), phase);
      ask(parts, next, slot);
    }
    __syncwarp();
  }

  // A warp of the group that acts: features of the one board at 16 places.
  __device__ static void spread_act_features(std::uint32_t channels) {
    static_assert(kMapSide == 8);
    const int lane = lane_id(), g = lane / 4, t = lane % 4, y = warp_id() % 4 * 2;
    RowOfWindows<kSmall> row0, row1;
    row0.load(s().act_obs[0], channels, y);
    row1.load(s().act_obs[0], channels, y + 1);
    Window<kSmall> a, b;
    row0.at(g, t, a);
    row1.at(g, t, b);
    ConvWeights<kSmall> weights;
#pragma unroll
    for (int k = 0; k < ConvShape<kSmall>::kSteps; ++k) weights[k] = room().conv[k][lane];
    std::uint32_t x[4];
    conv_rows<kSmall>(a, b, weights, x);
    uint2* to = room().act_features() + (y * kMapSide + g) * 4 + t;
    to[0] = make_uint2(x[0], x[2]);
    to[kMapSide * 4] = make_uint2(x[1], x[3]);
  }

  // The group that acts, where a whole tile of rows would be wasted on one board: 32 units a warp
  // are the rows, and all columns are that board. A group without a job only keeps the ring going.
  __device__ static std::uint32_t pass_act(const Fp16Round& round, bool act,
                                           typename Finish::Sums& sum) {
    const int lane = lane_id(), warp = warp_id(), parts = round.parts(), depth = round.depth();
    const uint2* features =
        room().act_features() + round.first_chunk(0) * kChunkPlaces * 4 + lane % 4;
    std::uint32_t phases = room().ring_phases[warp];
#pragma unroll 1
    for (int stage = 0, slot = 0; stage < round.stages(); ++stage) {
      const std::uint32_t phase = (phases >> slot) & 1;
      const std::uint32_t weights =
          ptx::shared_address(room().chunk(slot * parts)) + warp % 4 * 2 * kHighBytes + lane * 16;
      ptx::barrier_wait(full(slot), phase);
      if (act) {
#pragma unroll
        for (int i = 0; i < kChunkPlaces; ++i) {
          const uint2 x = features[(stage * kChunkPlaces + i) * 4];
#pragma unroll
          for (int j = 0; j < 2; ++j) {
            std::uint32_t w[4];
            ptx::load_matrices(w, weights + (i * kUnitGroups + j) * kHighBytes);
            ptx::mma(sum[j], w[0], w[2], w[1], w[3], x.x, x.y);
          }
        }
      }
      leave_stage(parts, slot, phase, stage + depth, round.stages());
      phases ^= 1U << slot;
      slot = slot == depth - 1 ? 0 : slot + 1;
    }
    return phases;
  }

  __device__ static __forceinline__ void run_round(const Fp16Round& round) {
    const int warp = warp_id(), lane = lane_id(), g = lane / 4;
    const Fp16Share mine = share(round);
    const bool act = mine.job == Fp16Job::kAct, has_rows = !act && mine.job != Fp16Job::kNone;
    const int row0 = mine.row0 + ((warp % 4 * 16) ^ mine.turn);
    const int end = end_of(mine, round.split);
    const bool work = has_rows && row0 < end;
    const int stages = round.stages(), depth = round.depth(), parts = round.parts();
    const std::uint32_t channels = kSmall ? 4U : static_cast<std::uint32_t>(spec().net.channels);
    if (act) {
      spread_act_features(channels);
    } else {
      const uint4* conv =
          (mine.job == Fp16Job::kTargetNext ? room().conv_target : room().conv)[0] + lane;
      room().lane_state()[thread_id()] = {offset_of(board(mine.job, row0 + g)),
                                          offset_of(board(mine.job, row0 + g + 8)), offset_of(conv),
                                          static_cast<std::uint16_t>(round.first_chunk(mine.part)),
                                          static_cast<std::uint16_t>(work ? 1 : 0)};
    }
    ptx::fence_bulk_shared();
    __syncthreads();
    if (asks()) {
      begin_streams(round);
#pragma unroll 1
      for (int stage = 0; stage < depth && stage < stages; ++stage) ask(parts, stage, stage);
    }
    __syncwarp();
    typename Finish::Sums sum;
#pragma unroll
    for (int j = 0; j < 16; ++j) sum[j][0] = sum[j][1] = sum[j][2] = sum[j][3] = 0.0F;
    const std::uint32_t phases =
        has_rows ? pass_rows(round, mine.part, channels, sum) : pass_act(round, act, sum);
    if (lane == 0) room().ring_phases[warp] = phases;
    __syncthreads();
    const bool alone = spec().blocks == 1;
    const bool lends = !alone || (round.split && !Finish::owns_shared(warp / 4));
    if (act) {
      Finish::lend_act_sums(sum);
    } else if (work && lends) {
      Finish::lend_sums(sum);
    }
    if (!alone || round.split || acts()) meet(spec());
    if (alone && work && !lends) {
      if (round.split) Finish::add_lent_sums(sum);
      Finish::finish_own(mine.job, row0, end, sum);
    } else {
      Finish::finish_rows(round, act && warp % 4 == 0);
    }
    meet(spec());
  }

  // Sums of a warp's rows, 16 of its group's 64, over all places.
  __device__ static __forceinline__ std::uint32_t pass_rows(const Fp16Round& round, int part,
                                                            std::uint32_t channels,
                                                            typename Finish::Sums& sum) {
    const int stages = round.stages(), depth = round.depth(), parts = round.parts();
    const std::uint32_t stage_bytes = static_cast<std::uint32_t>(parts) * kChunkBytes;
    std::uint32_t operand = ptx::shared_address(room().chunk(part));
    std::uint32_t features[2][4];  // by turns
    std::uint32_t phases = room().ring_phases[warp_id()];
    int slot = 0;
#pragma unroll 1
    for (int stage = 0; stage < stages; ++stage) {
      const LaneState state = room().lane_state()[thread_id()];
      const std::uint32_t chunk = state.first_chunk + static_cast<std::uint32_t>(stage);
      const int x0 = static_cast<int>(chunk % 2) * kChunkPlaces;
      const auto* conv = reinterpret_cast<const uint4*>(at_offset(state.conv));
      const int t = lane_id() % 4;
      RowOfWindows<kSmall> windows0, windows8;
      windows0.load(at_offset(state.board0), channels, chunk / 2);
      windows8.load(at_offset(state.board8), channels, chunk / 2);
#pragma unroll
      for (int i = 0; i < kChunkPlaces; ++i) {
        std::uint32_t(&x)[4] = features[i % 2];
        ptx::wgmma_wait_but_one();
        // Now the stage before has been multiplied, too.
        if (i == 1 && stage > 0) {
          const int before = slot == 0 ? depth - 1 : slot - 1;
          leave_stage(parts, before, ~(phases >> before) & 1, stage - 1 + depth, stages);
        }
        if (state.works != 0) {
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
        ptx::wgmma_128(
            sum, x[0], x[1], x[2], x[3],
            ptx::wgmma_operand(operand + i * kUnitGroups * kHighBytes, 2 * kMatrix, 4 * kMatrix));
        ptx::wgmma_commit();
      }
      phases ^= 1U << slot;
      const bool last = slot == depth - 1;
      operand += last ? stage_bytes - static_cast<std::uint32_t>(depth) * stage_bytes : stage_bytes;
      slot = last ? 0 : slot + 1;
    }
    ptx::wgmma_wait(sum);
    const int before = slot == 0 ? depth - 1 : slot - 1;
    leave_stage(parts, before, ~(phases >> before) & 1, stages, stages);
    return phases;
  }
};

}  // namespace tarl::fleet
