// SPDX-License-Identifier: MIT
#include "tarl/envs/classic/cartpole.h"
#include "tarl/envs/classic/pendulum.h"
#include "tarl/envs/registry.h"

namespace tarl::envs {

void add_classic(Registry& registry) {
  registry.add(
      {"classic/cartpole", {"CartPole-v1"}, "4 numbers, 2 actions", [](const EnvConfig&, Rng rng) {
         return classic::make_cartpole(rng);
       }});
  registry.add({.name = "classic/pendulum",
                .aliases = {"Pendulum-v1"},
                .title = "3 numbers, 1 torque",
                .make = [](const EnvConfig&, Rng rng) { return classic::make_pendulum(rng); },
                .action_size = 1});
}

}  // namespace tarl::envs
