// SPDX-License-Identifier: MIT
#include "tarl/envs/box2d/bipedal_walker.h"
#include "tarl/envs/box2d/lunar_lander.h"
#include "tarl/envs/gymnasium_names.h"
#include "tarl/envs/registry.h"

namespace tarl::envs {

void add_box2d(Registry& registry) {
  registry.note_library("Box2D", box2d::library_version());
  const auto add = [&](const char* title, auto make, bool variant) {
    const rl::EnvSpec spec = make(variant, Rng())->spec();
    registry.add({.name = spec.name,
                  .aliases = gymnasium_aliases(spec.name),
                  .title = title,
                  .make = [make, variant](const EnvConfig&, Rng rng) { return make(variant, rng); },
                  .action_size = spec.action.size});
  };
  add("two legs on rolling grass", box2d::make_bipedal_walker, false);
  add("two legs over stumps, stairs and pits", box2d::make_bipedal_walker, true);
  add("a rocket lands with engines on or off", box2d::make_lunar_lander, false);
  add("a rocket lands with engines that throttle", box2d::make_lunar_lander, true);
}

}  // namespace tarl::envs
