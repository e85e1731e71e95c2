// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/program.h"

#include <algorithm>
#include <utility>

#include "tarl/fleet/minatar_dqn/device_agent.h"
#include "tarl/train/env_slot.h"

namespace tarl::fleet {

namespace {

class Image final : public RunImage {
 public:
  Image(const AgentSpec& spec, AgentImage image) : spec_(spec), image_(std::move(image)) {}

  void save(StateWriter& out) const override { save_image(spec_, image_, out); }

  const rl::SegmentedRows& replay() const override { return image_.storage; }

 private:
  AgentSpec spec_;
  AgentImage image_;
};

class Run final : public DeviceRun {
 public:
  Run(const train::RunConfig& config, const SavedRun& saved) : spec_(make_spec(config)) {
    AgentImage image = load_image(spec_, saved.loop);
    saved.load_segments(image.storage);
    load_means(saved.means, image.state);
    state_ = image.state;
    agent_ = make_device_agent(
        spec_, image, {.precision = config.fleet.precision, .eval_keys = evaluation_keys(config)});
  }

  void start(std::int64_t stop) override { agent_->start(state_, stop); }

  bool ended() override { return agent_->ended(); }

  SliceReport report() override {
    state_ = agent_->state();
    SliceReport report;
    report.position = {state_.step, state_.evaluations, state_.phase};
    report.updates = state_.updates;
    store_means(spec_, state_, report.means);
    for (const EpisodeEntry& episode : agent_->episodes()) {
      report.episodes.push_back({episode.score, episode.length, episode.step});
    }
    if (state_.end == SliceEnd::kEvaluated) report.evaluation = take_evaluation();
    if (state_.end == SliceEnd::kNonfinite) report.nonfinite = nonfinite();
    return report;
  }

  std::unique_ptr<RunImage> download() override {
    return std::make_unique<Image>(spec_, agent_->download());
  }

  Tensors parameters() override { return agent_->parameters(); }

  rl::Sample suspects() override {
    LastUpdate update = agent_->last_update();
    return sample_of(spec_, agent_->download(), std::move(update.index), std::move(update.weight));
  }

 private:
  train::EvaluationScores take_evaluation() {
    train::EvaluationScores scores;
    scores.returns.assign(state_.eval_return, state_.eval_return + spec_.eval_episodes);
    scores.lengths.assign(state_.eval_length, state_.eval_length + spec_.eval_episodes);
    scores.cut = state_.eval_cut;
    std::ranges::fill(state_.sum, 0.0);
    state_.count = 0;
    state_.skipped = 0;
    return scores;
  }

  std::string nonfinite() const {
    return "update " + std::to_string(state_.updates) + ": " +
           (state_.bad_rows > 0
                ? std::to_string(state_.bad_rows) + " of " + std::to_string(spec_.candidates) +
                      " sampled transitions have an error that is not finite"
                : "the loss or the norm of the gradient is not finite");
  }

  AgentSpec spec_;
  AgentState state_;  // at the start of the next slice
  std::unique_ptr<DeviceAgent> agent_;
};

}  // namespace

std::vector<std::uint64_t> evaluation_keys(const train::RunConfig& config) {
  const Rng root = seeded(static_cast<std::uint64_t>(config.seed));
  std::vector<std::uint64_t> keys;
  for (std::int64_t k = 0; k < config.eval.count; ++k) {
    const Rng stream = root.fork("eval/" + std::to_string(k));
    const auto episodes = static_cast<int>(config.eval.episodes);
    for (const train::SlotStreams& streams : train::evaluation_streams(stream, episodes)) {
      keys.insert(keys.end(), {streams.env.key, streams.act.key});
    }
  }
  return keys;
}

namespace {

constexpr double kArraysOfParameters = 8;  // roughly: values, targets, moments, activations

// Everything lives on the device; the host needs memory for a copy only while writing a checkpoint.
Needs minatar_dqn_needs(const train::RunConfig& config) {
  const rl::EnvSpec spec = config.environment().describe();
  const AgentSpec agent = make_spec(config);
  const double parameters = static_cast<double>(layout_of(agent.net).size());
  const double bytes =
      replay::storage_bytes(config.replay_in_use(), spec.obs, spec.action, config.buffer_size, 1) +
      kArraysOfParameters * parameters * sizeof(float);
  return {bytes, 0};
}

}  // namespace

DeviceProgram minatar_dqn_program() {
  return {
      "minatar_dqn",
      [](const train::RunConfig& config) { return config.environment().obs == rl::ObsKind::kBits; },
      why_not_minatar_dqn,
      minatar_dqn_needs,
      [](const train::RunConfig& config, const SavedRun& saved) -> std::unique_ptr<DeviceRun> {
        return std::make_unique<Run>(config, saved);
      },
      {.least = {9, 0}, .later = false}};  // wgmma, bulk copies, clusters
}

}  // namespace tarl::fleet
