// SPDX-License-Identifier: MIT
#include "tarl/cli/episode_trace.h"

#include "tarl/core/formats/npz.h"

namespace tarl::cli {

namespace {

// Rows of observations in the networks' input format: floats [T, size], bytes and bits as bytes [T,
// channels, height, width].
Tensor tensor_of(const rl::ObsSpec& obs, const std::vector<std::byte>& rows, std::int64_t count) {
  if (obs.kind == rl::ObsKind::kFloats) {
    Tensor tensor{Dtype::kF32, {count, obs.size()}, rows};
    return tensor;
  }
  Tensor tensor{Dtype::kU8, {count, obs.channels, obs.height, obs.width}, {}};
  if (obs.kind == rl::ObsKind::kBytes) {
    tensor.bytes = rows;
    return tensor;
  }
  const int places = obs.height * obs.width;
  tensor.bytes.reserve(static_cast<std::size_t>(count * obs.size()));
  for (std::int64_t row = 0; row < count; ++row) {
    const std::byte* packed = rows.data() + static_cast<std::size_t>(row) * obs.bytes();
    for (int channel = 0; channel < obs.channels; ++channel) {
      for (int place = 0; place < places; ++place) {
        const int bit = place * obs.channels + channel;
        tensor.bytes.push_back((packed[bit / 8] >> (bit % 8)) & std::byte{1});
      }
    }
  }
  return tensor;
}

template <class T>
Tensor column(const std::vector<T>& values) {
  return Tensor::of(std::span(values), {static_cast<std::int64_t>(values.size())});
}

}  // namespace

void EpisodeTrace::step(const rl::Environment&, std::span<const std::byte> before,
                        const rl::Action& action, const rl::StepResult& result,
                        std::span<const std::byte> after) {
  episode_.push_back(episodes_);
  obs_.insert(obs_.end(), before.begin(), before.end());
  next_obs_.insert(next_obs_.end(), after.begin(), after.end());
  if (spec_.action.discrete()) {
    action_index_.push_back(action.index);
  } else {
    action_.insert(action_.end(), action.values.begin(), action.values.begin() + spec_.action.size);
  }
  reward_.push_back(double{result.reward});
  score_.push_back(double{result.score});
  terminated_.push_back(result.terminated ? 1 : 0);
  truncated_.push_back(result.truncated ? 1 : 0);
}

void EpisodeTrace::save(const fs::path& path) const {
  const auto count = static_cast<std::int64_t>(steps());
  const NamedTensor arrays[] = {
      {"episodes", column(episode_)},
      {"observations", tensor_of(spec_.obs, obs_, count)},
      {"next_observations", tensor_of(spec_.obs, next_obs_, count)},
      {"actions", spec_.action.discrete()
                      ? column(action_index_)
                      : Tensor::of(std::span(action_), {count, spec_.action.size})},
      {"rewards", column(reward_)},
      {"scores", column(score_)},
      {"terminated", column(terminated_)},
      {"truncated", column(truncated_)}};
  save_npz(path, arrays);
}

}  // namespace tarl::cli
