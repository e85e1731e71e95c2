// SPDX-License-Identifier: MIT
//
// Agent-updates per second of SAC and TA-SAC on the GPU, with the shapes of six environments, alone
// and 60 at a time. No simulator is stepped: every agent asks for its next update as soon as it has
// the last one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include "tarl/core/error.h"
#include "tarl/fleet/actor_critic/agent.h"
#include "tarl/fleet/device.h"
#include "tarl/train/make_agent.h"

namespace {

using namespace tarl;  // NOLINT(google-build-using-namespace)

struct Shape {
  const char* name;
  int obs, actions;
};

constexpr Shape kShapes[] = {{"Ant", 27, 8},        {"BipedalWalker", 24, 4}, {"Hopper", 11, 3},
                             {"Humanoid", 376, 17}, {"Swimmer", 8, 2},        {"Walker2d", 17, 6}};
constexpr std::int64_t kRows = 10'000;  // of a replay
constexpr double kSeconds = 2;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

rl::EnvSpec spec_of(const Shape& shape) {
  rl::EnvSpec spec;
  spec.obs.width = shape.obs;
  spec.action.size = shape.actions;
  return spec;
}

class Fleet {
 public:
  Fleet(const Shape& shape, const char* algo, int agents)
      : config_(
            train::resolve({.algo = algo,
                            .env = "classic/pendulum",
                            .set = {"target_entropy=-1", "buffer_size=" + std::to_string(kRows)}})),
        spec_(spec_of(shape)),
        device_(fleet::actor_critic::make_device()) {
    for (int i = 0; i < agents; ++i) add(i);
  }

  // Updates per second of all agents together.
  double rate() {
    for (std::size_t i = 0; i < agents_.size(); ++i) ask(i);
    turn_for(kSeconds / 4);
    const Clock::time_point begin = Clock::now();
    const std::int64_t updates = turn_for(kSeconds);
    return static_cast<double>(updates) / seconds_since(begin);
  }

 private:
  void add(int number) {
    Rng rng = seeded(static_cast<std::uint64_t>(number));
    Team team(1);
    const auto cpu = train::make_agent(config_, spec_, rng, team);
    Tensors loop;
    StateWriter out(loop);
    StateWriter agent = out.group(train::kAgentGroup), learner = out.group(train::kLearnerGroup);
    cpu->save(agent);
    train::LearnerState{}.save(learner);
    const replay::Storage empty(spec_.obs, spec_.action, kRows, 1);
    agents_.push_back(std::make_unique<fleet::actor_critic::Agent>(
        *device_, config_, spec_, StateReader(loop, "benchmark"), empty));
    std::vector<float> row(static_cast<std::size_t>(2 * spec_.obs.size() + spec_.action.size + 2));
    for (std::int64_t slot = 0; slot < kRows; ++slot) {
      for (float& value : row) value = static_cast<float>(2 * rng.uniform() - 1);
      row.back() = 0.99F;
      agents_.back()->networks().store(slot, row);
    }
    draws_.push_back(rng);
    slots_.emplace_back(static_cast<std::size_t>(config_.batch_size + config_.oversampling()));
  }

  void ask(std::size_t agent) {
    for (std::int64_t& slot : slots_[agent]) slot = draws_[agent].below(kRows);
    agents_[agent]->update(slots_[agent], 0);
  }

  std::int64_t turn_for(double seconds) {
    std::int64_t updates = 0;
    const Clock::time_point begin = Clock::now();
    while (seconds_since(begin) < seconds) {
      device_->turn();
      for (std::size_t i = 0; i < agents_.size(); ++i) {
        if (!agents_[i]->updated(means_)) continue;
        ++updates;
        ask(i);
      }
    }
    return updates;
  }

  const train::RunConfig config_;
  const rl::EnvSpec spec_;
  std::shared_ptr<fleet::actor_critic::Device> device_;
  std::vector<std::unique_ptr<fleet::actor_critic::Agent>> agents_;
  std::vector<Rng> draws_;
  std::vector<std::vector<std::int64_t>> slots_;
  train::Means means_;
};

}  // namespace

int main() {
  const fleet::DeviceInfo device = fleet::device_info();
  std::printf("CUDA: %s\n", device.text.c_str());
  if (!device.found) return 1;
  std::printf("%-14s %-8s %8s %16s\n", "shape", "algo", "agents", "agent-updates/s");
  for (const Shape& shape : kShapes) {
    for (const char* algo : {"sac", "ta-sac"}) {
      for (const int agents : {1, 60}) {
        const double rate = Fleet(shape, algo, agents).rate();
        std::printf("%-14s %-8s %8d %16.0f\n", shape.name, algo, agents, rate);
        std::fflush(stdout);
      }
    }
  }
  return 0;
}
