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

template <bool kSmall, int kKept>
struct Fp16Forward {
  const AgentSpec& spec;
  PackedView packed;
  int rows;  // candidates
  bool online_next;
  bool act;

  __device__ static Fp16Room<kSmall, kKept>& room() { return fp16_memory<kSmall, kKept>().room; }

  __device__ static Shared& s() { return fp16_memory<kSmall, kKept>().shared; }

  // Whether there is room for the board to act on beside that many candidates.
  __device__ static bool can_act(int rows, bool online_next) {
    return online_next ? rows <= 64 : rows < 64;
  }

  // The block. Boards: candidates' s, then their s', board_stride() apart.
  __device__ void run() const {
    const ChunkRange chunks = ChunkRange::of(spec);
    if (rows <= 64) {
      run_round({true, true, !online_next, chunks});
    } else {
      run_round({false, true, true, chunks});
      run_round({true, false, !online_next, chunks});
    }
  }

 private:
  __device__ static std::uint32_t full(int slot) { return ptx::shared_address(&room().full[slot]); }

  __device__ static std::uint32_t empty(int slot) {
    return ptx::shared_address(&room().empty[slot]);
  }

  // Two warpgroups that share a job are two apart.
  __device__ Fp16Share share(const Fp16Round& round) const {
    const int group = warp_id() / 4, half = group / 2, other = group % 2;
    if (rows > 64) {
      if (!round.split)
        return {half == 0 ? Fp16Job::kOnline : Fp16Job::kOnlineNext, 0, other * 64, 0};
      return {round.online ? Fp16Job::kOnline : Fp16Job::kTargetNext, half, other * 64, 0};
    }
    if (round.split) {
      return {other == 0 ? Fp16Job::kOnline : Fp16Job::kTargetNext, 2 * other + half, 0,
              half * shared_turn()};
    }
    const auto job = static_cast<Fp16Job>(group);
    if (job == Fp16Job::kAct && !act) return {Fp16Job::kNone, 0, 0, 0};
    return {job, job == Fp16Job::kTargetNext ? 1 : 0, 0, 0};
  }

  // With few rows the two warpgroups of a job use different warps, hence different schedulers.
  __device__ int shared_turn() const { return rows <= 32 ? 32 : 0; }

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
    if (is_act(job, row)) return s().act_obs[0];
    const int candidate = row < rows ? row : rows - 1;
    return room().boards + (job == Fp16Job::kOnline ? candidate : rows + candidate) * stride;
  }

  // Places in the block's memory.
  __device__ static std::uint32_t offset_of(const void* p) {
    return ptx::shared_address(p) - ptx::shared_address(&room());
  }

  __device__ static const std::byte* at_offset(std::uint32_t offset) {
    return reinterpret_cast<const std::byte*>(&room()) + offset;
  }

  // Of every four, as bits.
  __device__ static int stages_of_warp(bool work, bool acts, int warp) {
    return !work ? 0 : acts ? 1 << warp % 4 : 0xF;
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

  __device__ __forceinline__ void run_round(const Fp16Round& round) const {
    // A thread of a warp that has no rows in the usual rounds.
    const bool asks = thread_id() == kThreads - 96;
    const int warp = warp_id(), lane = lane_id(), g = lane / 4;
    const Fp16Share mine = share(round);
    // Acting is one row: the four warps have every fourth stage each.
    const bool acts = mine.job == Fp16Job::kAct;
    const int row0 = acts ? 0 : mine.row0 + ((warp % 4 * 16) ^ mine.turn);
    const int end = end_of(mine, round.split);
    const bool work = row0 < end;
    const int stages = round.stages(), depth = round.depth();
    const std::uint32_t stage_bytes = static_cast<std::uint32_t>(round.parts()) * kChunkBytes;
    std::uint32_t operand = ptx::shared_address(room().chunk(mine.part));
    const std::uint32_t channels = kSmall ? 4U : static_cast<std::uint32_t>(spec.net.channels);
    const uint4* conv =
        (mine.job == Fp16Job::kTargetNext ? room().conv_target : room().conv)[0] + lane;
    room().lane_state()[thread_id()] = {offset_of(board(mine.job, row0 + g)),
                                        offset_of(board(mine.job, row0 + g + 8)), offset_of(conv),
                                        static_cast<std::uint16_t>(round.first_chunk(mine.part)),
                                        static_cast<std::uint16_t>(stages_of_warp(work, acts, warp))};

    ptx::fence_bulk();
    __syncthreads();
    if (asks) {
      for (int stage = 0; stage < depth && stage < stages; ++stage) ask(round, stage);
    }
    __syncwarp();
    float sum[16][4];
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
    const bool alone = spec.blocks == 1;
    const bool lends = !alone || acts || (round.split && !owns_shared(warp / 4));
    if (work && lends) lend_sums(sum);
    if (!alone || round.split || act) meet(spec);
    if (!alone) {
      finish_rows(round);
    } else if (work && !lends) {
      if (round.split) add_lent_sums(sum);
      finish_own(mine.job, row0, end, sum);
    } else if (acts && warp % 4 == 0) {
      finish_row(round, Fp16Job::kAct, 0, lane < 16, lane);
    }
    meet(spec);
  }

  // Which of two warpgroups with the same job finishes it.
  __device__ static bool owns_shared(int group) { return group == 0 || group == 3; }

  using Sums = float[16][4];

  // This lane's sums of two rows, for others.
  __device__ static void lend_sums(const Sums& sum) {
    const int warp = warp_id(), lane = lane_id(), g = lane / 4, t = lane % 4;
    float* to = room().group_sums(warp / 4) + (warp % 4 * 16 + g) * kUnits;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const int unit = turned(g, 8 * j + 2 * t);  // the same in row g + 8
      *reinterpret_cast<float2*>(to + unit) = make_float2(sum[j][0], sum[j][1]);
      *reinterpret_cast<float2*>(to + 8 * kUnits + unit) = make_float2(sum[j][2], sum[j][3]);
    }
  }

  // Those of the warpgroup that shares the job.
  __device__ void add_lent_sums(Sums& sum) const {
    const int warp = warp_id(), lane = lane_id(), g = lane / 4, t = lane % 4;
    const int row = ((warp % 4 * 16) ^ shared_turn()) + g;
    const float* from = room().group_sums((warp / 4) ^ 2) + row * kUnits;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const int unit = turned(g, 8 * j + 2 * t);
      const float2 a = *reinterpret_cast<const float2*>(from + unit);
      const float2 b = *reinterpret_cast<const float2*>(from + 8 * kUnits + unit);
      sum[j][0] += a.x;
      sum[j][1] += a.y;
      sum[j][2] += b.x;
      sum[j][3] += b.y;
    }
    __syncwarp();  // before H takes their place
  }

  // Bias, ReLU and head of a warp's 16 rows, straight from their sums.
  __device__ __forceinline__ void finish_own(Fp16Job job, int row0, int end, Sums& sum) const {
    const int lane = lane_id(), t = lane % 4, row = row0 + lane / 4;
    const bool target = job == Fp16Job::kTargetNext;
    const float* bias = (target ? room().bias_target : room().bias) + 2 * t;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const float2 b = *reinterpret_cast<const float2*>(bias + 8 * j);
      sum[j][0] = fmaxf(sum[j][0] + b.x, 0.0F);
      sum[j][1] = fmaxf(sum[j][1] + b.y, 0.0F);
      sum[j][2] = fmaxf(sum[j][2] + b.x, 0.0F);
      sum[j][3] = fmaxf(sum[j][3] + b.y, 0.0F);
    }
    if (job == Fp16Job::kOnline) {
#pragma unroll
      for (int more = 0; more < 2; ++more) {
        if (row + 8 * more >= rows) continue;
        __half* to = room().hidden(row + 8 * more);
#pragma unroll
        for (int j = 0; j < 16; ++j) {
          *reinterpret_cast<std::uint32_t*>(to + turned(row, 8 * j + 2 * t)) =
              ptx::pack(sum[j][2 * more], sum[j][2 * more + 1]);
        }
      }
    }
    const float* head = (target ? room().head_target : room().head)[0] + 2 * t;
    const float* head_bias = target ? room().head_bias_target : room().head_bias;
#pragma unroll 1
    for (int a = 0; a < spec.net.actions; ++a) {
      float q[2] = {};
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        const float2 w = *reinterpret_cast<const float2*>(head + a * kUnits + 8 * j);
        q[0] = fmaf(sum[j][0], w.x, fmaf(sum[j][1], w.y, q[0]));
        q[1] = fmaf(sum[j][2], w.x, fmaf(sum[j][3], w.y, q[1]));
      }
#pragma unroll
      for (int more = 0; more < 2; ++more) {
        q[more] += __shfl_xor_sync(kFullWarp, q[more], 1);
        q[more] += __shfl_xor_sync(kFullWarp, q[more], 2);
        if (t == 0 && row + 8 * more < end) {
          q_of(job, row + 8 * more)[a] = q[more] + head_bias[a];
        }
      }
    }
  }

  // Whether a row is the board to act on.
  __device__ bool is_act(Fp16Job job, int row) const {
    return job == Fp16Job::kAct || (job == Fp16Job::kOnline && row == rows);
  }

  __device__ float* q_of(Fp16Job job, int row) const {
    return is_act(job, row) ? s().act_q[0] : room().q[static_cast<int>(job)][row];
  }

  __device__ static float4 plus(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  }

  // Four units of a row of H before the bias, from all blocks.
  __device__ float4 sum_of(int group, int row, int unit) const {
    const auto* at = reinterpret_cast<const float4*>(room().group_sums(group) + row * kUnits +
                                                     turned(row, unit));
    if (spec.blocks == 1) return *at;
    float4 total = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    for (int block = 0; block < spec.blocks; ++block) {
      total = plus(total, ptx::load_from(at, block));
    }
    return total;
  }

  // Where blocks share an agent, every row is finished by half a warp of one of them: bias, ReLU and
  // the head.
  __device__ void finish_rows(const Fp16Round& round) const {
    const int kinds = (round.target ? 1 : 0) + (round.online ? (online_next ? 2 : 1) : 0);
    const int count = kinds * rows + (act ? 1 : 0), step = 2 * spec.blocks * kWarps;
    const int lane = lane_id();
#pragma unroll 1
    for (int i = 2 * (ptx::cluster_rank() * kWarps + warp_id()); i < count; i += step) {
      const bool mine = i + lane / 16 < count;
      const int at = mine ? i + lane / 16 : i, kind = at / rows, row = at - kind * rows;
      const Fp16Job job = !round.online || kind == (online_next ? 2 : 1) ? Fp16Job::kTargetNext
                          : kind == 0                                    ? Fp16Job::kOnline
                                                                         : Fp16Job::kOnlineNext;
      const bool acts = kind == kinds, rides = acts && round.split;
      finish_row(round,
                 rides  ? Fp16Job::kOnline
                 : acts ? Fp16Job::kAct
                        : job,
                 rides ? rows : row, mine, lane);
    }
  }

  // The warpgroup that has a row's sums, or the first of the two that do.
  __device__ int group_of(const Fp16Round& round, Fp16Job job, int row) const {
    if (rows > 64) return row / 64 + (job == Fp16Job::kOnlineNext ? 2 : 0);
    return round.split ? (job == Fp16Job::kTargetNext ? 1 : 0) : static_cast<int>(job);
  }

  // Four units of H.
  __device__ float4 hidden_of(const Fp16Round& round, Fp16Job job, int row, int unit) const {
    const int group = group_of(round, job, row);
    const bool target = job == Fp16Job::kTargetNext;
    float4 h = sum_of(group, row % 64, unit);
    if (round.split) h = plus(h, sum_of(group + 2, (row % 64) ^ shared_turn(), unit));
    if (job == Fp16Job::kAct) {
      for (int quarter = 1; quarter < 4; ++quarter) h = plus(h, sum_of(group, 16 * quarter, unit));
    }
    const float* bias = (target ? room().bias_target : room().bias) + unit;
    h = plus(h, *reinterpret_cast<const float4*>(bias));
    return make_float4(fmaxf(h.x, 0.0F), fmaxf(h.y, 0.0F), fmaxf(h.z, 0.0F), fmaxf(h.w, 0.0F));
  }

  // Half a warp tells all blocks Q of its row, if it is `mine`, and of rows of s also H: it takes
  // the place of the row's sums, which nobody else reads.
  __device__ __forceinline__ void finish_row(const Fp16Round& round, Fp16Job job, int row,
                                             bool mine, int lane) const {
    const int unit = lane % 16 * 4;  // and 64 more
    const bool target = job == Fp16Job::kTargetNext;
    const float4 h = hidden_of(round, job, row, unit), g = hidden_of(round, job, row, 64 + unit);
    const float* head = (target ? room().head_target : room().head)[0] + unit;
    const int actions = spec.net.actions;
    float products[8] = {};
#pragma unroll
    for (int a = 0; a < kMaxActions; ++a) {
      if (a >= actions) continue;
      const float4 v = *reinterpret_cast<const float4*>(head + a * kUnits);
      const float4 w = *reinterpret_cast<const float4*>(head + a * kUnits + 64);
      products[a] = fmaf(h.x, v.x, fmaf(h.y, v.y, fmaf(h.z, v.z, h.w * v.w))) +
                    fmaf(g.x, w.x, fmaf(g.y, w.y, fmaf(g.z, w.z, g.w * w.w)));
    }
    const int action = lane % 8;
    const float product = half_warp_sums(products, lane);
    const bool acts = is_act(job, row);
    float* q = q_of(job, row);
    __syncwarp();  // all sums are read before H takes their place
    if (!mine) return;
    if (action < kMaxActions) {
      const float value = product + (target ? room().head_bias_target : room().head_bias)[action];
      for (int block = lane / 8 % 2; block < spec.blocks; block += 2)
        tell(q + action, block, value);
    }
    if (job != Fp16Job::kOnline || acts) return;
    auto* to = reinterpret_cast<uint2*>(room().hidden(row) + turned(row, unit));
    for (int block = 0; block < spec.blocks; ++block) {
      tell(to, block, make_uint2(ptx::pack(h.x, h.y), ptx::pack(h.z, h.w)));
      tell(to + 16, block, make_uint2(ptx::pack(g.x, g.y), ptx::pack(g.z, g.w)));
    }
  }

  template <class T>
  __device__ void tell(T* to, int block, const T& value) const {
    if (spec.blocks == 1) {
      *to = value;
    } else {
      ptx::store_to(to, block, value);
    }
  }
};

}  // namespace tarl::fleet
