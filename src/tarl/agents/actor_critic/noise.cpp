// SPDX-License-Identifier: MIT
#include "tarl/agents/actor_critic/noise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "tarl/nn/vector_math.h"

namespace tarl::agents::actor_critic {

namespace {

constexpr std::ptrdiff_t kPerBlock = kNormalsPerBlock;
constexpr int kChunk = 64;  // blocks computed together
constexpr std::ptrdiff_t kPairs = kChunk * kPerBlock / 2;

// Box-Muller: each pair of words becomes two normals, a cosine and a sine. The square root is kept
// apart, because a loop that contains one is not vectorised.
void normals_of(const std::uint32_t* words, std::ptrdiff_t pairs, float* out) {
  float radius[kPairs];
  for (std::ptrdiff_t i = 0; i < pairs; ++i) {
    radius[i] = squared_radius(words[2 * i]);
  }
  for (std::ptrdiff_t i = 0; i < pairs; ++i) radius[i] = std::sqrt(radius[i]);
  for (std::ptrdiff_t i = 0; i < pairs; ++i) {
    const nn::SineCosine angle = nn::sine_cosine_of_turn(words[2 * i + 1]);
    out[2 * i] = radius[i] * angle.cosine;
    out[2 * i + 1] = radius[i] * angle.sine;
  }
}

}  // namespace

NormalRows::NormalRows(Rng& rng, int rows, int width) : start_(rng), blocks_(noise_blocks(width)) {
  rng.counter += static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(blocks_);
}

void NormalRows::fill(Range rows, const int* source, nn::Rows out) const {
  std::uint32_t words[kChunk * kPerBlock];
  float normals[kChunk * kPerBlock];
  const int total = rows.size() * blocks_;
  for (int first = 0; first < total; first += kChunk) {
    const int count = std::min(kChunk, total - first);
    for (int i = 0; i < count; ++i) {
      const int at = rows.begin + (first + i) / blocks_;
      const auto row = static_cast<std::uint64_t>(source != nullptr ? source[at] : at);
      const PhiloxBlock block =
          philox(start_.key, start_.counter + row * static_cast<std::uint64_t>(blocks_) +
                                 static_cast<std::uint64_t>((first + i) % blocks_));
      std::memcpy(words + i * kPerBlock, block.word, sizeof block.word);
    }
    normals_of(words, count * kPerBlock / 2, normals);
    for (int i = 0; i < count; ++i) {
      float* to = out.row(rows.begin + (first + i) / blocks_) + (first + i) % blocks_ * kPerBlock;
      std::memcpy(to, normals + i * kPerBlock, kPerBlock * sizeof(float));
    }
  }
}

}  // namespace tarl::agents::actor_critic
