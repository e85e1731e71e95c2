// SPDX-License-Identifier: MIT
#include "tarl/agents/sac_policy.h"

#include <algorithm>
#include <cstring>

#include "tarl/core/error.h"
#include "tarl/nn/vector_math.h"

namespace tarl::agents {

namespace {

constexpr float kTiny = 1e-6F;  // keeps the logarithm finite at saturated actions
constexpr float kHalfLogTwoPi = 0.918938533F;
constexpr int kBlock = 256;  // numbers worked on together, whatever rows they belong to

}  // namespace

SquashedGaussian::SquashedGaussian(int action_size, int max_rows, nn::Arena& arena)
    : size_(action_size),
      noise_(arena.take_rows(max_rows, action_size)),
      deviation_(arena.take_rows(max_rows, action_size)),
      action_(arena.take_rows(max_rows, action_size)),
      slope_(arena.take_rows(max_rows, action_size)),
      log_prob_(static_cast<std::size_t>(max_rows)) {
  require(action_size <= kBlock, "more actions than a block holds");
}

void SquashedGaussian::count_memory(int action_size, int max_rows, nn::Arena& arena) {
  for (int array = 0; array < 4; ++array) arena.take_rows(max_rows, action_size);
}

void SquashedGaussian::sample(nn::ConstRows heads, Range rows, nn::Rows x, int column) {
  const int step = kBlock / size_;
  for (int begin = rows.begin; begin < rows.end; begin += step) {
    sample_block(heads, {begin, std::min(rows.end, begin + step)}, x, column);
  }
}

void SquashedGaussian::sample_block(nn::ConstRows heads, Range rows, nn::Rows x, int column) {
  float mu[kBlock], log_std[kBlock], eps[kBlock], deviation[kBlock], action[kBlock], slope[kBlock],
      term[kBlock];
  const auto bytes = static_cast<std::size_t>(size_) * sizeof(float);
  for (int row = rows.begin, at = 0; row < rows.end; ++row, at += size_) {
    std::memcpy(mu + at, heads.row(row), bytes);
    std::memcpy(log_std + at, heads.row(row) + size_, bytes);
    std::memcpy(eps + at, noise_.row(row), bytes);
  }
  const int count = rows.size() * size_;
  for (int i = 0; i < count; ++i) {
    const float limited = nn::limit(log_std[i], kLeastLogStd, kMostLogStd);
    deviation[i] = nn::exp_of(limited);
    const nn::Tanh squashed = nn::tanh_of(mu[i] + deviation[i] * eps[i]);
    action[i] = squashed.value;
    slope[i] = squashed.slope;
    term[i] = ((-0.5F * eps[i]) * eps[i] - limited) -
              (kHalfLogTwoPi + nn::log_of(squashed.slope + kTiny));
  }
  for (int row = rows.begin, at = 0; row < rows.end; ++row, at += size_) {
    std::memcpy(deviation_.row(row), deviation + at, bytes);
    std::memcpy(action_.row(row), action + at, bytes);
    std::memcpy(slope_.row(row), slope + at, bytes);
    std::memcpy(x.row(row) + column, action + at, bytes);
    float sum = 0;
    for (int k = 0; k < size_; ++k) sum += term[at + k];
    log_prob_[static_cast<std::size_t>(row)] = sum;
  }
}

void SquashedGaussian::backward(nn::ConstRows heads, Range rows, nn::ConstRows da,
                                float log_prob_weight, nn::Rows dheads) const {
  for (int row = rows.begin; row < rows.end; ++row) {
    const float* log_std = heads.row(row) + size_;
    const float* slope = slope_.row(row);
    const float* action = action_.row(row);
    float* out = dheads.row(row);
    for (int k = 0; k < size_; ++k) {
      // log pi moves by 2 a (1 - a^2) / (1 - a^2 + 1e-6) with u, and by -1 with log_std.
      const float du = da.row(row)[k] * slope[k] +
                       log_prob_weight * (2.0F * action[k] * (slope[k] / (slope[k] + kTiny)));
      const bool limited = log_std[k] < kLeastLogStd || log_std[k] > kMostLogStd;
      out[k] = du;
      out[size_ + k] =
          limited ? 0.0F : du * (deviation_.row(row)[k] * noise_.row(row)[k]) - log_prob_weight;
    }
  }
}

float SquashedGaussian::sampled_action(const float* heads, int k, float eps) const {
  return nn::tanh_of(heads[k] +
                     nn::exp_of(nn::limit(heads[size_ + k], kLeastLogStd, kMostLogStd)) * eps)
      .value;
}

void SquashedGaussian::mean_action(const float* heads, float* action) const {
  for (int k = 0; k < size_; ++k) action[k] = nn::tanh_of(heads[k]).value;
}

}  // namespace tarl::agents
