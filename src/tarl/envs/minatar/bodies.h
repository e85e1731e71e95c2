// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/envs/minatar/rules.h"

namespace tarl::envs::minatar {

// Anything that moves through Seaquest's water; bullets leave the timers at 0.
struct Body {
  std::int8_t x = 0;
  std::int8_t y = 0;
  std::int8_t right = 0;
  std::int8_t timer = 0;  // steps to the next move
  std::int8_t shot = 0;   // enemy submarines: steps to the next shot

  TARL_HOST_DEVICE inline bool at(int column, int row) const { return x == column && y == row; }

  // Moves one cell; false if that leaves the grid.
  TARL_HOST_DEVICE inline bool advance() {
    x = static_cast<std::int8_t>(ahead(x, right != 0));
    return on_grid(x);
  }
};

// A list that keeps its order, for at most `capacity` bodies.
template <int capacity>
struct Bodies {
  std::int32_t size = 0;
  Body item[capacity];

  TARL_HOST_DEVICE inline void add(const Body& body) { item[size++] = body; }

  TARL_HOST_DEVICE inline void remove(int i) {
    --size;
    for (; i < size; ++i) item[i] = item[i + 1];
  }

  // Index of the first body at a cell, or -1.
  TARL_HOST_DEVICE inline int find(int column, int row) const {
    for (int i = 0; i < size; ++i) {
      if (item[i].at(column, row)) return i;
    }
    return -1;
  }
};

}  // namespace tarl::envs::minatar
