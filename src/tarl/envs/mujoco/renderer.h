// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "tarl/envs/mujoco/picture.h"
#include "tarl/rl/environment.h"

namespace tarl::envs::mujoco {

// MuJoCo's own pictures, drawn without a screen through OSMesa (Debian's libosmesa6), which is
// loaded for the first one: nothing links to it, and nothing else needs it.
class Renderer {
 public:
  // Nothing, with the reason in `why`, if this machine has no OSMesa.
  static std::unique_ptr<Renderer> make(const mjModel_& model, std::string& why);

  virtual ~Renderer() = default;

  // Seen by the model's own camera, or from `view` if it has none. Requires all positions in
  // `data`, and changes none.
  virtual rl::Image draw(const mjModel_& model, mjData_& data, const View& view) = 0;
};

}  // namespace tarl::envs::mujoco
