// SPDX-License-Identifier: MIT
#include "tarl/agents/sac_policy.h"

#include <algorithm>
#include <cstring>

#include "tarl/agents/policy_math.h"
#include "tarl/core/error.h"

namespace tarl::agents {

namespace {

constexpr int kBlock = 256;  // numbers computed together, whatever rows they belong to

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
    const SquashedSample one = squashed_sample(mu[i], log_std[i], eps[i]);
    deviation[i] = one.deviation;
    action[i] = one.action;
    slope[i] = one.slope;
    term[i] = one.log_prob;
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
    float* out = dheads.row(row);
    for (int k = 0; k < size_; ++k) {
      const SquashedSample sample{deviation_.row(row)[k], action_.row(row)[k], slope_.row(row)[k],
                                  0};
      const SquashedSlopes slopes =
          squashed_slopes(sample, log_std[k], noise_.row(row)[k], da.row(row)[k], log_prob_weight);
      out[k] = slopes.mu;
      out[size_ + k] = slopes.log_std;
    }
  }
}

}  // namespace tarl::agents
