// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/cuda/fp16/finish.cuh"

// H and Q of all candidates and of the board to act on, by a block of four warpgroups. A job is 64
// boards through one network. Weights stream through shared memory once and serve all jobs that
// need them.
namespace tarl::fleet {

template <bool kSmall, int kKept>
struct Fp16Forward : Fp16Finish<kSmall, kKept> {
  using Finish = Fp16Finish<kSmall, kKept>;
  using Finish::acts, Finish::can_act, Finish::online_next, Finish::smem, Finish::rows, Finish::s,
      Finish::spec;

  // The block, at the beginning of a slice.
  static __device__ __noinline__ void plan() {
    for (int last = 0; last < 2; ++last) {
      Fp16Round& round = smem().rounds[last];
      const bool online = last != 0, target = !online || !is_apart();
      const bool split = !online || !online_next();
      if (thread_id() == 0) plan_round(online, target, split, round);
      if (lane_id() == 0) round.shares[warp_id()] = share(online, split);
    }
    __syncthreads();
  }

  // The block starts loading the first weights, ahead of everything that precedes run(), unless the
  // action needs a pass of its own, which uses the same memory.
  __device__ static void ask_ahead() {
    if (can_act()) ask_first(smem().rounds[1]);
  }

  // The block. Boards: s of the candidates, then their s', board_stride() bytes apart.
  __device__ static void run() {
#pragma unroll 1
    for (int round = is_apart() ? 0 : 1; round < 2; ++round) run_round(smem().rounds[round]);
  }

 private:
  // Whether the target network has a round of its own, before the online network's.
  __device__ static bool is_apart() {
    return rows() > 64;
  }

  // One thread.
  __device__ static void plan_round(bool online, bool target, bool split, Fp16Round& round) {
    const PackedView packed = PackedView::of(s().view);
    const ChunkRange chunks = ChunkRange::of(spec());
    const int halves = split ? 2 : 1;
    round.online = online ? 1 : 0;
    round.target = target ? 1 : 0;
    round.split = split ? 1 : 0;
    round.parts = (online && target ? 2 : 1) * halves;
    round.stages = chunks.count / halves;
    round.depth = kRingChunks / round.parts;
    for (int part = 0; part < round.parts; ++part) {
      const bool of_target = !online || part >= halves;
      const int first = chunks.first + part % halves * round.stages;
      round.first_chunk[part] = first;
      round.streams[part] = {(of_target ? packed.target : packed.high) + first * (kChunkBytes / 16),
                             of_target ? ptx::kOnce : ptx::kOften};
    }
  }

  // This warp's share. Warpgroups that share a job are two apart.
  __device__ static Fp16Share share(bool online, bool split) {
    const int group = warp_id() / 4, half = group / 2, other = group % 2,
              rows16 = warp_id() % 4 * 16;
    if (is_apart()) {
      const Fp16Job job = !online              ? Fp16Job::kTargetNext
                          : split || half == 0 ? Fp16Job::kOnline
                                               : Fp16Job::kOnlineNext;
      return {job, split ? half : 0, other * 64 + rows16};
    }
    if (split) {
      return {other == 0 ? Fp16Job::kOnline : Fp16Job::kTargetNext, 2 * other + half,
              rows16 ^ (half * Finish::shared_turn())};
    }
    const auto job = static_cast<Fp16Job>(group);
    return {job, job == Fp16Job::kTargetNext ? 1 : 0, rows16};
  }

  // The block, once the ring's memory is free.
  __device__ static void ask_first(const Fp16Round& round) {
    ptx::fence_bulk_shared();
    __syncthreads();
    if (asks()) {
#pragma unroll 1
      for (int stage = 0; stage < round.depth && stage < round.stages; ++stage) {
        ask(round, stage, stage);
      }
    }
    __syncwarp();
  }

  __device__ static std::uint32_t full(int slot) {
    return ptx::shared_address(&smem().full[slot]);
  }

  __device__ static std::uint32_t empty(int slot) {
    return ptx::shared_address(&smem().empty[slot]);
  }

  __device__ static const std::byte* board(Fp16Job job, int row) {
    const int stride = board_stride(spec());
    if (Finish::is_act(job, row)) return s().act_obs[0];
    const int candidate = row < rows() ? row : rows() - 1;
    return smem().boards + (job == Fp16Job::kOnline ? candidate : rows() + candidate) * stride;
  }

  // Byte offsets within shared memory.
  __device__ static std::uint32_t offset_of(const void* p) {
    return ptx::shared_address(p) - ptx::shared_address(&smem());
  }

  __device__ static const std::byte* at_offset(std::uint32_t offset) {
    return reinterpret_cast<const std::byte*>(&smem()) + offset;
  }

  // One thread starts loading a stage.
  __device__ static void ask(const Fp16Round& round, int stage, int slot) {
    const int parts = round.parts;
    ptx::barrier_expect(full(slot), static_cast<std::uint32_t>(parts * kChunkBytes));
#pragma unroll 1
    for (int part = 0; part < parts; ++part) {
      const WeightStream& stream = round.streams[part];
      ptx::bulk_load(ptx::shared_address(smem().chunk(slot * parts + part)),
                     stream.from + stage * (kChunkBytes / 16), kChunkBytes, full(slot),
                     stream.hint);
    }
  }

  // The issuing thread, in a warp that has no rows in most rounds.
  __device__ static bool asks() {
    return thread_id() == kThreads - 96;
  }

  // A warp releases a stage; one thread then loads the stage that replaces it, if any. Every lane
  // arrives separately: this costs nothing, and racecheck does not model the ordering by
  // __syncwarp.
  __device__ static void leave_stage(const Fp16Round& round, int slot, std::uint32_t phase,
                                     int next, int end) {
    ptx::barrier_arrive(empty(slot));
    if (asks() && next < end) {
      ptx::barrier_wait(empty(slot), phase);
      ask(round, next, slot);
    }
    __syncwarp();
  }

  // One warp of the acting warpgroup: features of the board at 16 positions.
  __device__ static void spread_act_features(std::uint32_t channels) {
    static_assert(kMapSide == 8);
    const int lane = lane_id(), g = lane / 4, t = lane % 4, y = warp_id() % 4 * 2;
    const auto place = static_cast<std::uint32_t>(y * kMapSide + g);
    Window<kSmall> a, b;
    load_window<kSmall>(s().act_obs[0], window_rows(channels, place), t, a);
    load_window<kSmall>(s().act_obs[0], window_rows(channels, place + kMapSide), t, b);
    float sum[2][4] = {};
    conv_rows<kSmall>(a, b, smem().conv[0] + lane, sum);
    std::uint32_t x[4];
    pack_features(sum, x);
    uint2* to = smem().act_features() + (y * kMapSide + g) * 4 + t;
    to[0] = make_uint2(x[0], x[2]);
    to[kMapSide * 4] = make_uint2(x[1], x[3]);
  }

  // The acting warpgroup. A tile of 64 rows would be wasted on a single board, so the 32 units of
  // each warp are the rows and every column is that board. A warpgroup without a job only keeps the
  // ring moving.
  __device__ static std::uint32_t pass_act(const Fp16Round& round, bool act,
                                           typename Finish::Sums& sum) {
    const int lane = lane_id(), warp = warp_id(), parts = round.parts, depth = round.depth;
    const uint2* features =
        smem().act_features() + round.first_chunk[0] * kChunkPlaces * 4 + lane % 4;
    std::uint32_t phases = smem().ring_phases[warp];
#pragma unroll 1
    for (int stage = 0, slot = 0; stage < round.stages; ++stage) {
      const std::uint32_t phase = (phases >> slot) & 1;
      const std::uint32_t weights =
          ptx::shared_address(smem().chunk(slot * parts)) + warp % 4 * 2 * kHighBytes + lane * 16;
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
      leave_stage(round, slot, phase, stage + depth, round.stages);
      phases ^= 1U << slot;
      slot = slot == depth - 1 ? 0 : slot + 1;
    }
    return phases;
  }

  // A warp's work in this step. Computed before the weight pass and again after it, to spare
  // registers.
  struct WarpRows {
    Fp16Share mine;
    int end;  // of its job's rows, plus the board to act on if no warpgroup is free for it
    bool acts, has_rows, works;
  };

  __device__ static WarpRows warp_rows(const Fp16Round& round) {
    const Fp16Share mine = round.shares[warp_id()];
    const bool acting = acts(), has_rows = mine.job != Fp16Job::kAct;
    const bool rides = acting && round.split != 0 && mine.job == Fp16Job::kOnline;
    const int end = rows() + (rides ? 1 : 0);
    return {mine, end, acting && !has_rows, has_rows, has_rows && mine.row0 < end};
  }

  // Publishes what the weight pass looks up per lane.
  __device__ static __forceinline__ void begin_round(const Fp16Round& round,
                                                     std::uint32_t channels) {
    if (!can_act()) ask_first(round);  // otherwise already started by ask_ahead()
    const WarpRows warp = warp_rows(round);
    if (warp.acts) {
      spread_act_features(channels);
    } else {
      const Fp16Job job = warp.mine.job;
      const int row = warp.mine.row0 + lane_id() / 4;
      const uint4* conv =
          (job == Fp16Job::kTargetNext ? smem().conv_target : smem().conv)[0] + lane_id();
      smem().lane_state()[thread_id()] = {
          offset_of(board(job, row)), offset_of(board(job, row + 8)), offset_of(conv),
          static_cast<std::uint16_t>(round.first_chunk[warp.mine.part]),
          static_cast<std::uint16_t>(warp.works ? 1 : 0)};
    }
    __syncthreads();
  }

  __device__ static __forceinline__ void finish_round(const Fp16Round& round,
                                                      typename Finish::Sums& sum) {
    const WarpRows warp = warp_rows(round);
    const bool alone = spec().blocks == 1;
    const bool lends = !alone || (round.split != 0 && !Finish::owns_shared(warp_id() / 4));
    if (warp.acts) {
      Finish::lend_act_sums(sum);
    } else if (warp.works && lends) {
      Finish::lend_sums(sum);
    }
    if (!alone || round.split != 0 || acts()) meet(spec());
    if (alone && warp.works && !lends) {
      if (round.split != 0) Finish::add_lent_sums(sum);
      Finish::finish_own(warp.mine.job, warp.mine.row0, warp.end, sum);
    } else if (!alone) {
      Finish::finish_rows(round);
    } else if (warp.acts && warp_id() % 4 == 0) {
      Finish::finish_act();
    }
    meet(spec());
  }

  __device__ static __forceinline__ void run_round(const Fp16Round& round) {
    const std::uint32_t channels = kSmall ? 4U : static_cast<std::uint32_t>(spec().net.channels);
    begin_round(round, channels);
    typename Finish::Sums sum;
#pragma unroll
    for (int j = 0; j < 16; ++j) sum[j][0] = sum[j][1] = sum[j][2] = sum[j][3] = 0.0F;
    const WarpRows warp = warp_rows(round);
    const std::uint32_t phases = warp.has_rows ? pass_rows(round, warp.mine.part, channels, sum)
                                               : pass_act(round, warp.acts, sum);
    if (lane_id() == 0) smem().ring_phases[warp_id()] = phases;
    __syncthreads();
    finish_round(round, sum);
  }

  // Sums of the warp's 16 rows, out of its warpgroup's 64, over all positions.
  __device__ static __forceinline__ std::uint32_t pass_rows(const Fp16Round& round, int part,
                                                            std::uint32_t channels,
                                                            typename Finish::Sums& sum) {
    const int stages = round.stages, depth = round.depth;
    const auto stage_bytes = static_cast<std::uint32_t>(round.parts) * kChunkBytes;
    std::uint32_t operand = ptx::shared_address(smem().chunk(part));
    std::uint32_t features[2][4];  // of two positions
    std::uint32_t phases = smem().ring_phases[warp_id()];
    int slot = 0;
#pragma unroll 1
    for (int stage = 0; stage < stages; ++stage) {
      const LaneState state = smem().lane_state()[thread_id()];
      const std::uint32_t chunk = state.first_chunk + static_cast<std::uint32_t>(stage);
      const auto* conv = reinterpret_cast<const uint4*>(at_offset(state.conv));
      const int t = lane_id() % 4;
      ChunkFeatures<kSmall> places;
      places.load(at_offset(state.board0), at_offset(state.board8), channels, chunk, t);
#pragma unroll
      for (int i = 0; i < kChunkPlaces; i += 2) {
        FeatureSums feature = {};
        if (state.works != 0) places.add_up(i, t, conv, feature);
        ptx::wgmma_wait_all();
        // By now the products of the previous stage are complete as well.
        if (i == 0 && stage > 0) {
          const int before = slot == 0 ? depth - 1 : slot - 1;
          leave_stage(round, before, ~(phases >> before) & 1, stage - 1 + depth, stages);
        }
        if (i == 0) ptx::barrier_wait(full(slot), (phases >> slot) & 1);
#pragma unroll
        for (int more = 0; more < 2; ++more) pack_features(feature[more], features[more]);
        ptx::wgmma_fence();
#pragma unroll
        for (int more = 0; more < 2; ++more) {
          const std::uint32_t(&x)[4] = features[more];
          ptx::wgmma_128(sum, x[0], x[1], x[2], x[3],
                         ptx::wgmma_operand(operand + (i + more) * kUnitGroups * kHighBytes,
                                            2 * kMatrix, 4 * kMatrix));
        }
        ptx::wgmma_commit();
      }
      phases ^= 1U << slot;
      const bool last = slot == depth - 1;
      operand += last ? stage_bytes - static_cast<std::uint32_t>(depth) * stage_bytes : stage_bytes;
      slot = last ? 0 : slot + 1;
    }
    ptx::wgmma_wait(sum);
    const int before = slot == 0 ? depth - 1 : slot - 1;
    leave_stage(round, before, ~(phases >> before) & 1, stages, stages);
    return phases;
  }
};

}  // namespace tarl::fleet
