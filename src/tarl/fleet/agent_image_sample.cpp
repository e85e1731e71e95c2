// SPDX-License-Identifier: MIT
//
// Transitions of an AgentImage as replay::Storage would gather them.
#include <utility>

#include "tarl/fleet/agent_image.h"

namespace tarl::fleet {

rl::Sample sample_of(const AgentSpec& spec, const AgentImage& image,
                     std::vector<std::int64_t> index, std::vector<float> weight) {
  constexpr std::uint8_t kTerminated = 1;
  const auto bytes = static_cast<std::size_t>(spec.obs_bytes);
  const std::int64_t newest = (image.head.stored - 1) % spec.capacity;
  rl::Sample sample{std::move(index), std::move(weight), {}};
  rl::Batch& batch = sample.batch;
  batch.rows = static_cast<int>(sample.index.size());
  batch.obs_bytes = bytes;
  const auto append = [bytes](std::vector<std::byte>& rows, const std::byte* obs) {
    rows.insert(rows.end(), obs, obs + bytes);
  };
  for (const std::int64_t number : sample.index) {
    const auto slot = static_cast<std::size_t>(number);
    const auto after = static_cast<std::size_t>((number + 1) % spec.capacity);
    const bool over = (image.flags[slot] & kTerminated) != 0;
    append(batch.obs, &image.frames[slot * bytes]);
    if (over) {
      batch.next_obs.resize(batch.next_obs.size() + bytes);
    } else {
      append(batch.next_obs,
             number == newest ? image.head.newest_next : &image.frames[after * bytes]);
    }
    batch.action_index.push_back(image.action[slot]);
    batch.reward.push_back(image.reward[slot]);
    batch.discount.push_back(over ? 0.0F : static_cast<float>(spec.gamma));
  }
  return sample;
}

}  // namespace tarl::fleet
