// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tarl/cli/watcher.h"
#include "tarl/core/files.h"

namespace tarl::cli {

// Every step of the episodes it watches, as arrays for NumPy (docs/run-folder.md).
class EpisodeTrace final : public Watcher {
 public:
  explicit EpisodeTrace(const rl::EnvSpec& spec) : spec_(spec) {}

  void begin_episode() { ++episodes_; }

  void reset(const rl::Environment&, std::span<const std::byte>) override {}

  void step(const rl::Environment& env, std::span<const std::byte> before, const rl::Action& action,
            const rl::StepResult& result, std::span<const std::byte> after) override;

  void save(const fs::path& path) const;

  std::size_t steps() const { return episode_.size(); }

 private:
  rl::EnvSpec spec_;
  std::int64_t episodes_ = 0;
  std::vector<std::int64_t> episode_;
  std::vector<std::byte> obs_, next_obs_;
  std::vector<std::int64_t> action_index_;
  std::vector<float> action_;
  std::vector<double> reward_, score_;
  std::vector<std::uint8_t> terminated_, truncated_;
};

}  // namespace tarl::cli
