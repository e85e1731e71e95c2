// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/fp16_room.cuh"

// H and Q of all candidates for a block of four warpgroups, and of the board to act on. A job is 64
// boards through one network; weights stream through shared memory once, whoever needs them.
namespace tarl::fleet {

// Kinds of jobs; the first three are also the kinds of q.
enum class Fp16Job : std::int32_t { kOnline, kOnlineNext, kTargetNext, kAct, kNone };

// Which networks a round passes over, and whether two warpgroups share a job, each with half of the
// places.
struct Fp16Round {
  bool online, target, split;
  ChunkRange chunks;

  __device__ int halves() const { return split ? 2 : 1; }

  __device__ int parts() const { return (online && target ? 2 : 1) * halves(); }

  __device__ int stages() const { return chunks.count / halves(); }

  // Stages that the ring holds.
  __device__ int depth() const { return kRingChunks / parts(); }

  // Where a part's chunks come from.
  __device__ bool of_target(int part) const { return !online || (target && part >= halves()); }

  __device__ int first_chunk(int part) const {
    return chunks.first + (split ? part % 2 * (chunks.count / 2) : 0);
  }
};

// One warpgroup's share of a round.
struct Fp16Share {
  Fp16Job job;
  std::int32_t part;
  std::int32_t row0;  // first candidate
  std::int32_t turn;  // row i of the 64 is candidate row0 + (i ^ turn)
};

template <bool kSmall>
struct Fp16Forward {
  const AgentSpec& spec;
  PackedView packed;
  int rows;  // candidates
  bool online_next;
  bool act;

  __device__ static Fp16Room<kSmall>& room() { return fp16_memory<kSmall>().room; }

  __device__ static Shared& s() { return fp16_memory<kSmall>().shared; }

  // Whether there is room for the board to act on beside that many candidates.
  __device__ static bool can_act(int rows, bool online_next) {
    return online_next ? rows <= 64 : rows < 64;
  }

  // The block. Boards: candidates' s, then their s', board_stride() apart.
  __device__ void run() const {
    const ChunkRange chunks = ChunkRange::of(spec);
    if (rows <= 64) {
      run_round<true>({true, true, !online_next, chunks});
    } else {
      run_round<false>({false, true, true, chunks});
      run_round<false>({true, false, !online_next, chunks});
    }
  }

 private:
  __device__ static std::uint32_t full(int slot) { return ptx::shared_address(&room().full[slot]); }

  __device__ static std::uint32_t empty(int slot) {
    return ptx::shared_address(&room().empty[slot]);
  }

  __device__ Fp16Share share(const Fp16Round& round) const {
    const int group = warp_id() / 4, half = group % 2, pair = group / 2;
    if (rows > 64) {
      if (!round.split)
        return {pair == 0 ? Fp16Job::kOnline : Fp16Job::kOnlineNext, 0, half * 64, 0};
      return {round.online ? Fp16Job::kOnline : Fp16Job::kTargetNext, half, pair * 64, 0};
    }
    if (round.split) {
      // With few rows the two warpgroups of a job use different warps, hence different schedulers.
      return {pair == 0 ? Fp16Job::kOnline : Fp16Job::kTargetNext, group, 0,
              rows <= 32 ? half * 32 : 0};
    }
    const auto job = static_cast<Fp16Job>(group);
    if (job == Fp16Job::kAct && !act) return {Fp16Job::kNone, 0, 0, 0};
    return {job, job == Fp16Job::kTargetNext ? 1 : 0, 0, 0};
  }

  // Candidates of a job; acting rides as one more where no warpgroup is free for it.
  __device__ int end_of(const Fp16Share& mine, bool split) const {
    switch (mine.job) {
      case Fp16Job::kNone:
        return 0;
      case Fp16Job::kAct:
        return 1;
      case Fp16Job::kOnline:
        return rows + (split && act ? 1 : 0);
      default:
        return rows;
    }
  }

  __device__ const std::byte* board(Fp16Job job, int row) const {
    const int stride = board_stride(spec);
    if (job == Fp16Job::kAct || (job == Fp16Job::kOnline && row == rows)) return s().act_obs[0];
    const int candidate = row < rows ? row : rows - 1;
    return room().boards + (job == Fp16Job::kOnline ? candidate : rows + candidate) * stride;
  }

  // One thread asks for a stage.
  __device__ void ask(const Fp16Round& round, int stage) const {
    const int parts = round.parts(), slot = stage % round.depth();
    ptx::barrier_expect(full(slot), static_cast<std::uint32_t>(parts * kChunkBytes));
    for (int part = 0; part < parts; ++part) {
      const uint4* from = round.of_target(part) ? packed.target : packed.high;
      ptx::bulk_load(ptx::shared_address(room().chunk(slot * parts + part)),
                     from + (round.first_chunk(part) + stage) * (kChunkBytes / 16), kChunkBytes,
                     full(slot));
    }
  }

  template <bool kMayShare>
  __device__ __forceinline__ void run_round(const Fp16Round& round) const {
    // A thread of a warp that has no rows in the usual rounds.
    const bool asks = thread_id() == kThreads - 96;
    const int warp = warp_id(), lane = lane_id(), g = lane / 4, t = lane % 4;
    const Fp16Share mine = share(round);
    // Acting is one row: the four warps have every fourth stage each.
    const bool acts = mine.job == Fp16Job::kAct;
    const int row0 = acts ? 0 : mine.row0 + ((warp % 4 * 16) ^ mine.turn);
    const int end = end_of(mine, round.split);
    const bool work = row0 < end;
    const int stages = round.stages(), depth = round.depth();
    const int first = round.first_chunk(mine.part);
    const std::uint32_t stage_bytes = static_cast<std::uint32_t>(round.parts()) * kChunkBytes;
    std::uint32_t operand = ptx::shared_address(room().chunk(mine.part));
    const std::uint32_t channels = kSmall ? 4U : static_cast<std::uint32_t>(spec.net.channels);
    const std::byte* board0 = board(mine.job, row0 + g);
    const std::byte* board8 = board(mine.job, row0 + g + 8);

    ptx::fence_bulk();
    __syncthreads();
    if (asks) {
      for (int stage = 0; stage < depth && stage < stages; ++stage) ask(round, stage);
    }
    __syncwarp();
    const uint4* conv =
        (mine.job == Fp16Job::kTargetNext ? room().conv_target : room().conv)[0] + lane;
    float sum[16][4];
#pragma unroll
    for (int j = 0; j < 16; ++j) sum[j][0] = sum[j][1] = sum[j][2] = sum[j][3] = 0.0F;
    std::uint32_t features[2][4];  // by turns
    std::uint32_t phases = room().ring_phases[warp];
    int slot = 0;
#pragma unroll 1
    for (int stage = 0; stage < stages; ++stage) {
      const int chunk = first + stage, x0 = chunk % 2 * kChunkPlaces;
      const bool now = work && (!acts || stage % 4 == warp % 4);
      RowOfWindows<kSmall> windows0, windows8;
      windows0.load(board0, channels, chunk / 2);
      windows8.load(board8, channels, chunk / 2);
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
    if constexpr (kMayShare) {
      if (spec.blocks > 1) {
        finish_together(round, work, sum);
        return;
      }
    }
    // Where two warpgroups have half of the places each, the second hands its sums to the first.
    const bool second = round.split && warp / 4 % 2 == 1;
    float* partial = reinterpret_cast<float*>(room().main) + warp / 8 * 64 * 128 +
                     ((thread_id() % 128) ^ (mine.turn * 2));
    if (second && work) {
#pragma unroll
      for (int i = 0; i < 64; ++i) partial[i * 128] = sum[i / 4][i % 4];
    }
    float* quarters = reinterpret_cast<float*>(room().main);
    if (acts && g == 0) {
      auto* to = reinterpret_cast<float2*>(quarters + warp % 4 * kUnits) + t;
#pragma unroll
      for (int j = 0; j < 16; ++j) to[j * 4] = make_float2(sum[j][0], sum[j][1]);
    }
    __syncthreads();
    if (acts && warp % 4 == 0) finish_acting(quarters);
    if (work && !acts && !second) {
      finish_rows(mine.job, row0, end, sum, round.split ? partial : nullptr);
    }
    __syncthreads();
  }

  // Neighbouring rows begin in different banks.
  __device__ static int turned(int row, int unit) {
    return unit ^ (row % 8 * 8);
  }

  // This lane's four units of a row of H before the bias, from all blocks.
  __device__ float4 sum_of(int group, int row) const {
    const float* at = room().group_sums(group) + row * kUnits + turned(row, 4 * lane_id());
    float4 total = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    for (int block = 0; block < spec.blocks; ++block) {
      total = plus(total, ptx::load_from(reinterpret_cast<const float4*>(at), block));
    }
    return total;
  }

  __device__ static float4 plus(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  }

  // One warp: tells all blocks Q of a row, and returns this lane's four units of H.
  __device__ uint2 finish_row(const Fp16Round& round, Fp16Job job, int row) const {
    const bool target = job == Fp16Job::kTargetNext;
    float4 h;
    if (round.split) {
      const int group = target ? 2 : 0;
      h = plus(sum_of(group, row), sum_of(group + 1, row ^ (rows <= 32 ? 32 : 0)));
    } else {
      h = sum_of(static_cast<int>(job), row);
      for (int quarter = 1; job == Fp16Job::kAct && quarter < 4; ++quarter) {
        h = plus(h, sum_of(static_cast<int>(job), 16 * quarter));
      }
    }
    const int unit = 4 * lane_id();
    h = plus(h,
             *reinterpret_cast<const float4*>((target ? room().bias_target : room().bias) + unit));
    h = make_float4(fmaxf(h.x, 0.0F), fmaxf(h.y, 0.0F), fmaxf(h.z, 0.0F), fmaxf(h.w, 0.0F));
    const auto* head = target ? room().head_target : room().head;
    const float* head_bias = target ? room().head_bias_target : room().head_bias;
    float* to = job == Fp16Job::kAct ? s().act_q[0] : q_of(job, row);
#pragma unroll
    for (int a = 0; a < kMaxActions; ++a) {
      const float4 w = *reinterpret_cast<const float4*>(&head[a][unit]);
      const float q = warp_sum(fmaf(h.x, w.x, fmaf(h.y, w.y, fmaf(h.z, w.z, h.w * w.w))));
      if (lane_id() < spec.blocks) ptx::store_to(&to[a], lane_id(), q + head_bias[a]);
    }
    return make_uint2(ptx::pack(h.x, h.y), ptx::pack(h.z, h.w));
  }

  // Where several blocks have some of the places each: every row is finished by one warp of one of
  // them.
  __device__ void finish_together(const Fp16Round& round, bool work,
                                  const float (&sum)[16][4]) const {
    const int g = lane_id() / 4, t = lane_id() % 4, tile = warp_id() % 4 * 16;
    if (work) {
      float* to = room().group_sums(warp_id() / 4);
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        const int unit = turned(g, 8 * j + 2 * t);  // the same in row g + 8
        *reinterpret_cast<float2*>(to + (tile + g) * kUnits + unit) =
            make_float2(sum[j][0], sum[j][1]);
        *reinterpret_cast<float2*>(to + (tile + g + 8) * kUnits + unit) =
            make_float2(sum[j][2], sum[j][3]);
      }
    }
    ptx::cluster_sync();
    const int first = ptx::cluster_rank() * kWarps + warp_id(), step = spec.blocks * kWarps;
    const int others = online_next ? 2 * rows : rows;
    for (int i = first; i < others; i += step) {
      finish_row(round, i < rows ? Fp16Job::kTargetNext : Fp16Job::kOnlineNext, i % rows);
    }
    const int last = step - 1;
    if (act && first == last)
      finish_row(round, round.split ? Fp16Job::kOnline : Fp16Job::kAct, round.split ? rows : 0);
    // H takes the place of the sums once nobody reads them any more.
    uint2 hidden[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (first + i * step < rows)
        hidden[i] = finish_row(round, Fp16Job::kOnline, first + i * step);
    }
    ptx::cluster_sync();
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int row = first + i * step;
      if (row >= rows) continue;
      auto* to = reinterpret_cast<uint2*>(room().hidden() + row * kHiddenStride) + lane_id();
      for (int block = 0; block < spec.blocks; ++block) ptx::store_to(to, block, hidden[i]);
    }
    ptx::cluster_sync();
  }

  // One warp: Q from the four warps' sums of H.
  __device__ void finish_acting(const float* quarters) const {
    float q[kMaxActions] = {};
#pragma unroll
    for (int unit = lane_id(); unit < kUnits; unit += 32) {
      float h = room().bias[unit];
#pragma unroll
      for (int w = 0; w < 4; ++w) h += quarters[w * kUnits + unit];
#pragma unroll
      for (int a = 0; a < kMaxActions; ++a) q[a] = fmaf(fmaxf(h, 0.0F), room().head[a][unit], q[a]);
    }
#pragma unroll
    for (int a = 0; a < kMaxActions; ++a) {
      q[a] = warp_sum(q[a]);
      if (lane_id() == 0) s().act_q[0][a] = q[a] + room().head_bias[a];
    }
  }

  // Where Q of a row goes.
  __device__ float* q_of(Fp16Job job, int row) const {
    if (job == Fp16Job::kOnline && row == rows) return s().act_q[0];
    return room().q[static_cast<int>(job)][row];
  }

  // Bias, ReLU and the head for rows row0 + g and row0 + g + 8 of a warp; H is kept for s.
  __device__ void finish_rows(Fp16Job job, int row0, int end, const float (&sum)[16][4],
                              const float* other_half) const {
    const int g = lane_id() / 4, t = lane_id() % 4;
    const bool target = job == Fp16Job::kTargetNext;
    const float* bias = target ? room().bias_target : room().bias;
    const auto* head = target ? room().head_target : room().head;
    const float* head_bias = target ? room().head_bias_target : room().head_bias;
    float q0[kMaxActions] = {}, q8[kMaxActions] = {};
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const int unit = 8 * j + 2 * t;
      const float2 b = *reinterpret_cast<const float2*>(bias + unit);
      float h0 = sum[j][0] + b.x, h1 = sum[j][1] + b.y, h2 = sum[j][2] + b.x, h3 = sum[j][3] + b.y;
      if (other_half != nullptr) {
        h0 += other_half[j * 512];
        h1 += other_half[j * 512 + 128];
        h2 += other_half[j * 512 + 256];
        h3 += other_half[j * 512 + 384];
      }
      h0 = fmaxf(h0, 0.0F);
      h1 = fmaxf(h1, 0.0F);
      h2 = fmaxf(h2, 0.0F);
      h3 = fmaxf(h3, 0.0F);
      if (job == Fp16Job::kOnline) {
        auto* to = reinterpret_cast<std::uint32_t*>(room().hidden());
        to[((row0 + g) * kHiddenStride + unit) / 2] = ptx::pack(h0, h1);
        to[((row0 + g + 8) * kHiddenStride + unit) / 2] = ptx::pack(h2, h3);
      }
#pragma unroll
      for (int a = 0; a < kMaxActions; ++a) {
        const float2 w = *reinterpret_cast<const float2*>(&head[a][unit]);
        q0[a] = fmaf(h0, w.x, fmaf(h1, w.y, q0[a]));
        q8[a] = fmaf(h2, w.x, fmaf(h3, w.y, q8[a]));
      }
    }
#pragma unroll
    for (int a = 0; a < kMaxActions; ++a) {
      for (int o = 1; o < 4; o *= 2) {
        q0[a] += __shfl_xor_sync(kFullWarp, q0[a], o);
        q8[a] += __shfl_xor_sync(kFullWarp, q8[a], o);
      }
      if (t == 0 && row0 + g < end) q_of(job, row0 + g)[a] = q0[a] + head_bias[a];
      if (t == 0 && row0 + g + 8 < end) q_of(job, row0 + g + 8)[a] = q8[a] + head_bias[a];
    }
  }
};

}  // namespace tarl::fleet
