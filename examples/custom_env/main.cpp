// SPDX-License-Identifier: MIT
//
// A user's own environment, registered and trained: walk to the right end of a corridor.
#include <cstdio>
#include <cstring>

#include <tarl/envs/registry.h>
#include <tarl/train/run.h>

class Corridor final : public tarl::rl::Environment {
 public:
  explicit Corridor(tarl::Rng rng) : rng_(rng) {
    spec_.name = "my/corridor";
    spec_.obs.height = 2;  // two floats: position and a bias
    spec_.action.count = 2;
  }

  const tarl::rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override {
    time_ = 0;
    position_ = static_cast<int>(rng_.below(5));
    observe(obs);
  }

  tarl::rl::StepResult step(const tarl::rl::Action& action, std::span<std::byte> obs) override {
    position_ = std::max(0, position_ + (action.index == 1 ? 1 : -1));
    const bool arrived = position_ == 10;
    const bool late = ++time_ == 40;
    observe(obs);
    const float reward = arrived ? 1.0F : -0.02F;
    return {reward, arrived, late && !arrived, reward, arrived || late};
  }

  void save(tarl::StateWriter& out) const override {
    out.put("position", position_);
    out.put("time", time_);
    out.put("rng", rng_);
  }

  void load(const tarl::StateReader& in) override {
    in.get("position", position_);
    in.get("time", time_);
    in.get("rng", rng_);
  }

 private:
  void observe(std::span<std::byte> obs) const {
    const float values[2] = {static_cast<float>(position_) / 10, 1};
    std::memcpy(obs.data(), values, sizeof values);
  }

  tarl::rl::EnvSpec spec_;
  tarl::Rng rng_;
  int position_ = 0;
  int time_ = 0;
};

int main(int argc, char** argv) {
  tarl::envs::registry().add(
      {"my/corridor", {}, "walk to the right end", [](const auto&, auto rng) {
         return std::make_unique<Corridor>(rng);
       }});
  tarl::train::RunRequest request;
  request.config = tarl::train::resolve(
      {.algo = "ta-dqn",
       .env = "my/corridor",
       .steps = "6000",
       .set = {"learning_starts=200", "train_freq=1", "learning_rate=1e-3", "optimizer=adam",
               "target_update_interval=100", "eval.count=6", "exploration_fraction=0.5"}});
  request.folder = argc > 1 ? argv[1] : "runs/my/corridor";
  const auto outcome = tarl::train::run_training(request);
  std::printf("last evaluation: %.2f (walking straight gives about 0.85)\n",
              outcome.last_evaluation);
  return outcome.last_evaluation > 0.7 ? 0 : 1;
}
