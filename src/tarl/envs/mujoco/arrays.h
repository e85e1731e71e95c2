// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace tarl::envs::mujoco {

// Row i of one of MuJoCo's arrays, which hold `width` numbers per body, geom or actuator.
template <class T>
const T* row_of(const T* array, int width, int i) {
  return array + std::ptrdiff_t{i} * width;
}

}  // namespace tarl::envs::mujoco
