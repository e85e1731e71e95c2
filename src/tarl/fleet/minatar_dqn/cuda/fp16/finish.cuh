// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/minatar_dqn/cuda/fp16/shared.cuh"

// The end of the forward pass, from the big layer's sums: bias, ReLU and the head.
namespace tarl::fleet {

template <bool kSmall, int kKept>
struct Fp16Finish {
  __device__ static Fp16Shared<kSmall, kKept>& smem() { return fp16_memory<kSmall, kKept>().smem; }

  __device__ static Shared& s() { return fp16_memory<kSmall, kKept>().shared; }

  // Accessors rather than members, to spare registers.
  __device__ static const AgentSpec& spec() { return s().spec; }

  __device__ static int rows() { return spec().candidates; }

  // Whether s' also passes through the online network.
  __device__ static bool online_next() { return spec().double_q != 0 || spec().needs_scores != 0; }

  // Whether the board to act on fits beside the candidates.
  __device__ static bool can_act() { return online_next() ? rows() <= 64 : rows() < 64; }

  // Whether the forward pass includes it: the step is played during the update and does not
  // explore.
  __device__ static bool acts() { return s().plays != 0 && s().explores == 0 && can_act(); }

  // With few rows, the two warpgroups of a job assign them to different warps, hence to different
  // schedulers.
  __device__ static int shared_turn() { return rows() <= 32 ? 32 : 0; }

  // Which of the two warpgroups of a job finishes it.
  __device__ static bool owns_shared(int group) { return group == 0 || group == 3; }

  using Sums = float[16][4];

  // Publishes this lane's sums of two rows for other warps.
  __device__ static void lend_sums(const Sums& sum) {
    const int warp = warp_id(), lane = lane_id(), g = lane / 4, t = lane % 4;
    float* to = smem().group_sums(warp / 4) + (warp % 4 * 16 + g) * kUnits;
#pragma unroll
    for (int j = 0; j < 16; ++j) {
      const int unit = turned(g, 8 * j + 2 * t);  // the same offset in row g + 8
      *reinterpret_cast<float2*>(to + unit) = make_float2(sum[j][0], sum[j][1]);
      *reinterpret_cast<float2*>(to + 8 * kUnits + unit) = make_float2(sum[j][2], sum[j][3]);
    }
  }

  // Publishes the sums of the board to act on: 32 units per warp; all columns are equal.
  __device__ static void lend_act_sums(const Sums& sum) {
    const int warp = warp_id(), lane = lane_id();
    if (lane % 4 != 0) return;
    float* to = smem().group_sums(warp / 4) + warp % 4 * 32 + lane / 4;
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      to[16 * j] = sum[j][0];
      to[16 * j + 8] = sum[j][2];
    }
  }

  // Adds the sums published by the other warpgroup of the job.
  __device__ static void add_lent_sums(Sums& sum) {
    const int warp = warp_id(), lane = lane_id(), g = lane / 4, t = lane % 4;
    const int row = ((warp % 4 * 16) ^ shared_turn()) + g;
    const float* from = smem().group_sums((warp / 4) ^ 2) + row * kUnits;
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
    __syncwarp();  // all reads precede the writes of H
  }

  // Bias, ReLU and head of the warp's 16 rows, directly from its sums.
  __device__ static __forceinline__ void finish_own(Fp16Job job, int row0, int end, Sums& sum) {
    const int lane = lane_id(), t = lane % 4, row = row0 + lane / 4;
    const bool target = job == Fp16Job::kTargetNext;
    const SmallValues& small = target ? smem().target : smem().online;
    const float* bias = small.bias() + 2 * t;
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
        if (row + 8 * more >= rows()) continue;
        __half* to = smem().hidden(row + 8 * more);
#pragma unroll
        for (int j = 0; j < 16; ++j) {
          *reinterpret_cast<std::uint32_t*>(to + turned(row, 8 * j + 2 * t)) =
              ptx::pack(sum[j][2 * more], sum[j][2 * more + 1]);
        }
      }
    }
    const float* head = small.head(0) + 2 * t;
#pragma unroll 1
    for (int a = 0; a < spec().net.actions; ++a) {
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
          q_of(job, row + 8 * more)[a] = q[more] + small.head_bias()[a];
        }
      }
    }
  }

  // Whether this row is the board to act on.
  __device__ static bool is_act(Fp16Job job, int row) {
    return job == Fp16Job::kAct || (job == Fp16Job::kOnline && row == rows());
  }

  __device__ static float* q_of(Fp16Job job, int row) {
    return is_act(job, row) ? s().act_q[0] : smem().q[static_cast<int>(job)][row];
  }

  // Four units of a row's sums, added up over all blocks.
  __device__ static float4 sum_of(int group, int row, int unit) {
    const auto* at = reinterpret_cast<const float4*>(smem().group_sums(group) + row * kUnits +
                                                     turned(row, unit));
    return sum_over_blocks(at, spec().blocks);
  }

  // One warp finishes the board to act on, whose sums its warpgroup published.
  __device__ static void finish_act() {
    const int unit = lane_id() * 4;
    const float4 sum = *reinterpret_cast<const float4*>(smem().group_sums(warp_id() / 4) + unit);
    const float4 bias = *reinterpret_cast<const float4*>(smem().online.bias() + unit);
    const float4 h = relu(plus(sum, bias));
#pragma unroll 1
    for (int a = 0; a < spec().net.actions; ++a) {
      const float4 w = *reinterpret_cast<const float4*>(smem().online.head(a) + unit);
      const float q = warp_sum(fmaf(h.x, w.x, fmaf(h.y, w.y, fmaf(h.z, w.z, h.w * w.w))));
      if (lane_id() == 0) s().act_q[0][a] = q + smem().online.head_bias()[a];
    }
  }

  // With several blocks per agent, half a warp of one block finishes each row: bias, ReLU and head.
  __device__ static void finish_rows(const Fp16Round& round) {
    const int kinds =
        (round.target != 0 ? 1 : 0) + (round.online != 0 ? (online_next() ? 2 : 1) : 0);
    const int count = kinds * rows() + (acts() ? 1 : 0), step = 2 * spec().blocks * kWarps;
    const int first = 2 * (ptx::cluster_rank() * kWarps + warp_id()), lane = lane_id();
#pragma unroll 1
    for (int i = first; i < count; i += step) {
      const bool mine = i + lane / 16 < count;
      const int at = mine ? i + lane / 16 : i, kind = at / rows(), row = at - kind * rows();
      const Fp16Job job = round.online == 0 || kind == (online_next() ? 2 : 1)
                              ? Fp16Job::kTargetNext
                          : kind == 0 ? Fp16Job::kOnline
                                      : Fp16Job::kOnlineNext;
      const bool act = kind == kinds, rides = act && round.split != 0;
      finish_row(round,
                 rides ? Fp16Job::kOnline
                 : act ? Fp16Job::kAct
                       : job,
                 rides ? rows() : row, mine, lane);
    }
  }

  // The warpgroup that holds a row's sums, or the first of the two.
  __device__ static int group_of(const Fp16Round& round, Fp16Job job, int row) {
    if (rows() > 64) return row / 64 + (job == Fp16Job::kOnlineNext ? 2 : 0);
    return round.split != 0 ? (job == Fp16Job::kTargetNext ? 1 : 0) : static_cast<int>(job);
  }

  // Four units of H, summed over warpgroups and blocks.
  __device__ static float4 hidden_of(const Fp16Round& round, Fp16Job job, int row, int unit) {
    const int group = group_of(round, job, row);
    const bool target = job == Fp16Job::kTargetNext;
    float4 h = sum_of(group, row % 64, unit);
    if (round.split != 0) h = plus(h, sum_of(group + 2, (row % 64) ^ shared_turn(), unit));
    const float* bias = (target ? smem().target : smem().online).bias() + unit;
    return relu(plus(h, *reinterpret_cast<const float4*>(bias)));
  }

  // Half a warp finishes one row, if it is `mine`, and broadcasts Q to all blocks, and for rows of
  // s also H. H replaces the row's sums, which no other thread reads.
  __device__ static __forceinline__ void finish_row(const Fp16Round& round, Fp16Job job, int row,
                                                    bool mine, int lane) {
    const int unit = lane % 16 * 4;  // and the four units 64 further on
    const bool target = job == Fp16Job::kTargetNext;
    const float4 h = hidden_of(round, job, row, unit), g = hidden_of(round, job, row, 64 + unit);
    const SmallValues& small = target ? smem().target : smem().online;
    const float* head = small.head(0) + unit;
    const int actions = spec().net.actions;
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
    const bool act = is_act(job, row);
    float* q = q_of(job, row);
    __syncwarp();  // all sums are read before H overwrites them
    if (!mine) return;
    if (action < kMaxActions) {
      const float value = product + small.head_bias()[action];
      for (int block = lane / 8 % 2; block < spec().blocks; block += 2)
        ptx::store_to(q + action, block, value);
    }
    if (job != Fp16Job::kOnline || act) return;
    auto* to = reinterpret_cast<uint2*>(smem().hidden(row) + turned(row, unit));
    for (int block = 0; block < spec().blocks; ++block) {
      ptx::store_to(to, block, make_uint2(ptx::pack(h.x, h.y), ptx::pack(h.z, h.w)));
      ptx::store_to(to + 16, block, make_uint2(ptx::pack(g.x, g.y), ptx::pack(g.z, g.w)));
    }
  }
};

}  // namespace tarl::fleet
