// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/acrobot.h"
#include "tarl/envs/classic/cartpole.h"
#include "tarl/envs/classic/classic_env.h"
#include "tarl/envs/classic/mountain_car.h"
#include "tarl/envs/classic/pendulum.h"
#include "tarl/envs/registry.h"

namespace tarl::envs {

namespace classic {

namespace {

rl::EnvSpec spec_of_numbers(std::string name, int numbers, double step_seconds) {
  rl::EnvSpec spec;
  spec.name = std::move(name);
  spec.title = std::to_string(numbers) + " numbers, ";
  spec.obs = {rl::ObsKind::kFloats, numbers};
  spec.step_seconds = step_seconds;
  return spec;
}

}  // namespace

rl::EnvSpec discrete_spec(std::string name, int numbers, int actions, double step_seconds) {
  rl::EnvSpec spec = spec_of_numbers(std::move(name), numbers, step_seconds);
  spec.title += std::to_string(actions) + " actions";
  spec.action.count = actions;
  return spec;
}

rl::EnvSpec continuous_spec(std::string name, int numbers, double limit, const char* unit,
                            double step_seconds) {
  rl::EnvSpec spec = spec_of_numbers(std::move(name), numbers, step_seconds);
  spec.title += std::string("1 ") + unit;
  spec.action.size = 1;
  spec.action.low[0] = static_cast<float>(-limit);
  spec.action.high[0] = static_cast<float>(limit);
  return spec;
}

}  // namespace classic

void add_classic(Registry& registry) {
  const auto add = [&](std::string alias, std::unique_ptr<rl::Environment> (*make)(Rng)) {
    const rl::EnvSpec spec = make(Rng())->spec();
    registry.add({.name = spec.name,
                  .aliases = {std::move(alias)},
                  .title = spec.title,
                  .make = [make](const EnvConfig&, Rng rng) { return make(rng); },
                  .action_size = spec.action.size});
  };
  add("Acrobot-v1", classic::make_acrobot);
  add("CartPole-v1", classic::make_cartpole);
  add("MountainCar-v0", classic::make_mountain_car);
  add("MountainCarContinuous-v0", classic::make_mountain_car_continuous);
  add("Pendulum-v1", classic::make_pendulum);
}

}  // namespace tarl::envs
