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
  registry.add(
      {"classic/pendulum", {"Pendulum-v1"}, "3 numbers, 1 torque", [](const EnvConfig&, Rng rng) {
         return classic::make_pendulum(rng);
       }});
}

}  // namespace tarl::envs
