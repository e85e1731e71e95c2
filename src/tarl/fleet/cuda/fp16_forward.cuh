// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/fp16_room.cuh"

// H and Q of all candidates for a block of four warpgroups. A job is 64 boards through one network;
// weights stream through shared memory once, whoever needs them.
namespace tarl::fleet {

// What one warpgroup does in a round.
struct Fp16Job {
  std::int32_t kind;   // of q: 0 online at s, 1 online at s', 2 target at s'; -1: nothing
  std::int32_t row0;   // first candidate
  std::int32_t part;   // of a stage: where its weights are
  std::int32_t first;  // place it starts at
};

// A round: which weights travel in the parts of a stage, and how many places each job covers.
struct Fp16Round {
  std::int32_t parts;
  std::int32_t target[4], first[4];  // of each part: network, first place
  std::int32_t places;               // of a job: 64, or 32 where two warpgroups share one
  Fp16Job job[4];
};

// Rounds for that many candidates; two where there are more than 64.
__device__ inline Fp16Round fp16_round(int rows, bool online_next, int round) {
  if (rows <= 64 && online_next) {
    return {2, {0, 1}, {0, 0}, 64, {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 1, 0}, {-1, 0, 0, 0}}};
  }
  if (rows <= 64) {
    return {4,
            {0, 0, 1, 1},
            {0, 32, 0, 32},
            32,
            {{0, 0, 0, 0}, {0, 0, 1, 32}, {2, 0, 2, 0}, {2, 0, 3, 32}}};
  }
  if (round == 0) {
    return {2, {1, 1}, {0, 32}, 32, {{2, 0, 0, 0}, {2, 0, 1, 32}, {2, 64, 0, 0}, {2, 64, 1, 32}}};
  }
  if (online_next) {
    return {1, {0}, {0}, 64, {{0, 0, 0, 0}, {0, 64, 0, 0}, {1, 0, 0, 0}, {1, 64, 0, 0}}};
  }
  return {2, {0, 0}, {0, 32}, 32, {{0, 0, 0, 0}, {0, 0, 1, 32}, {0, 64, 0, 0}, {0, 64, 1, 32}}};
}

template <bool kSmall>
struct Fp16Forward {
  const AgentSpec& spec;
  const PackedView& packed;
  std::uint32_t& stages_done;  // over the life of the barriers; every thread counts

  __device__ static Fp16Room<kSmall>& room() { return fp16_memory<kSmall>().room; }

  __device__ std::uint32_t full(std::uint32_t slot) const {
    return ptx::shared_address(&room().full[slot]);
  }

  __device__ std::uint32_t empty(std::uint32_t slot) const {
    return ptx::shared_address(&room().empty[slot]);
  }

  // One thread: asks for a stage once everybody has read what was in its place.
  __device__ void produce(const Fp16Round& round, int stage) const {
    const std::uint32_t n = stages_done + stage, slot = n % kStages, phase = n / kStages % 2;
    ptx::barrier_wait(empty(slot), phase ^ 1);
    ptx::barrier_expect(full(slot), static_cast<std::uint32_t>(round.parts * kPartBytes));
    for (int part = 0; part < round.parts; ++part) {
      const int place = round.first[part] + stage * kStagePlaces;
      const uint4* from =
          (round.target[part] != 0 ? packed.target : packed.high) + place * (kPlaceBytes / 16);
      const std::uint32_t to =
          ptx::shared_address(room().main) + slot * kStageBytes + part * kPartBytes;
      ptx::bulk_load(to, from, kPartBytes, full(slot));
    }
  }

  // The block. Boards: candidates' s, then their s', board_stride() apart.
  __device__ void run(int rows, bool online_next) const {
    const int rounds = rows <= 64 ? 1 : 2;
    for (int r = 0; r < rounds; ++r) run_round(rows, fp16_round(rows, online_next, r));
  }

  __device__ __forceinline__ void run_round(int rows, const Fp16Round& round) const {
    const int group = warp_id() / 4, g = lane_id() / 4, t = lane_id() % 4;
    const Fp16Job job = round.job[group];
    const int row0 = job.row0 + warp_id() % 4 * 16;
    const bool work = job.kind >= 0 && row0 < rows;
    const int stages = round.places / kStagePlaces;
    const int stride = board_stride(spec);
    const std::uint32_t channels = kSmall ? 4U : static_cast<std::uint32_t>(spec.net.channels);
    const auto board = [&](int row) {
      const int candidate = row < rows ? row : rows - 1;
      return room().boards + (job.kind == 0 ? candidate : rows + candidate) * stride;
    };
    const std::byte* board0 = board(row0 + g);
    const std::byte* board8 = board(row0 + g + 8);

    ptx::fence_bulk();
    __syncthreads();
    if (thread_id() == kThreads - 1) {
      for (int st = 0; st < kStages && st < stages; ++st) produce(round, st);
    }
    __syncwarp();
    ConvWeights<kSmall> weights;
    const auto* from = job.kind == 2 ? room().conv_target : room().conv;
#pragma unroll
    for (int k = 0; k < ConvShape<kSmall>::kSteps; ++k) weights[k] = from[k][lane_id()];
    float sum[16][4];
#pragma unroll
    for (int j = 0; j < 16; ++j) sum[j][0] = sum[j][1] = sum[j][2] = sum[j][3] = 0.0F;
    std::uint32_t features[kStagePlaces][4] = {};  // zeros where a warp has no rows

    for (int st = 0; st < stages; ++st) {
      const std::uint32_t n = stages_done + st, slot = n % kStages;
      const std::uint32_t operand =
          ptx::shared_address(room().main) + slot * kStageBytes + job.part * kPartBytes;
#pragma unroll
      for (int i = 0; i < kStagePlaces; ++i) {
        const int place = job.first + st * kStagePlaces + i;
        if (work) {
          const WindowRows window = window_rows(channels, static_cast<std::uint32_t>(place));
          conv_rows<kSmall>(board0, board8, window, t, weights, features[i]);
        }
        if (i == 0) ptx::barrier_wait(full(slot), n / kStages % 2);
        ptx::wgmma_fence();
        ptx::wgmma(sum, features[i][0], features[i][1], features[i][2], features[i][3],
                   ptx::wgmma_operand(operand + i * kPlaceBytes));
        ptx::wgmma_commit();
      }
      ptx::wgmma_wait();
      __syncwarp();
      if (lane_id() == 0) ptx::barrier_arrive(empty(slot));
      if (thread_id() == kThreads - 1 && st + kStages < stages) produce(round, st + kStages);
      __syncwarp();
    }
    __syncthreads();
    stages_done += static_cast<std::uint32_t>(stages);
    // Where two warpgroups have half of the places each, the second hands its sums to the first.
    const bool split = round.places < kPositions;
    float* partial =
        reinterpret_cast<float*>(room().main) + group / 2 * 64 * 128 + thread_id() % 128;
    if (split && group % 2 == 1) {
#pragma unroll
      for (int i = 0; i < 64; ++i) partial[i * 128] = sum[i / 4][i % 4];
    }
    __syncthreads();
    if (work && !(split && group % 2 == 1)) {
      finish_rows(job.kind, row0, rows, sum, split ? partial : nullptr);
    }
    __syncthreads();
  }

  // Bias, ReLU and the head for rows row0 + g and row0 + g + 8 of a warp; H is kept for s.
  __device__ void finish_rows(int kind, int row0, int rows, const float (&sum)[16][4],
                              const float* other_half) const {
    const int g = lane_id() / 4, t = lane_id() % 4;
    const float* bias = kind == 2 ? room().bias_target : room().bias;
    const auto* head = kind == 2 ? room().head_target : room().head;
    const float* head_bias = kind == 2 ? room().head_bias_target : room().head_bias;
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
      if (kind == 0) {
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
      if (t == 0 && row0 + g < rows) room().q[kind][row0 + g][a] = q0[a] + head_bias[a];
      if (t == 0 && row0 + g + 8 < rows) room().q[kind][row0 + g + 8][a] = q8[a] + head_bias[a];
    }
  }
};

}  // namespace tarl::fleet
