// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tarl::rl {

// How one observation is laid out in memory. Every observation of a task is a block of exactly
// bytes() bytes, which environments write, replay stores and networks read.
enum class ObsKind {
  kBits,    // binary planes: bit (row*width + column)*channels + channel of little-endian u64 words
  kBytes,   // u8 [channels][height][width]; networks divide by 255
  kFloats,  // f32 [size]
};

struct ObsSpec {
  ObsKind kind = ObsKind::kFloats;
  int channels = 1;
  int height = 1;
  int width = 1;
  // Channels that are one new frame per step: an observation is the last `frame_stack` frames,
  // oldest first, with zeros before an episode's first frame. 1 means no stacking.
  int frame_stack = 1;

  int size() const { return channels * height * width; }

  std::size_t bytes() const {
    const std::size_t n = static_cast<std::size_t>(size());
    if (kind == ObsKind::kBits) return (n + 63) / 64 * 8;
    return kind == ObsKind::kBytes ? n : n * sizeof(float);
  }

  bool operator==(const ObsSpec&) const = default;
};

inline constexpr int kMaxActionSize = 32;

struct ActionSpec {
  int count = 0;  // number of discrete actions; 0 for continuous ones
  int size = 0;   // dimensions of a continuous action
  // Bounds of the environment's own action box. Agents and replay use [-1, 1] throughout.
  std::array<float, kMaxActionSize> low{};
  std::array<float, kMaxActionSize> high{};

  bool discrete() const { return count > 0; }
};

struct EnvSpec {
  std::string name;   // "minatar/breakout"
  std::string title;  // "10x10x4 grid, 3 actions"
  ObsSpec obs;
  ActionSpec action;
  std::int64_t eval_step_limit = 0;  // cuts evaluation episodes; 0: no limit needed
  double step_seconds = 0;           // duration of a step in the task's own time; 0: none
  bool resumable = true;             // save() and load() work; otherwise never called
};

// Discrete actions use `index`; continuous ones use values[0..size) in [-1, 1].
struct Action {
  std::int32_t index = 0;
  std::array<float, kMaxActionSize> values{};
};

}  // namespace tarl::rl
