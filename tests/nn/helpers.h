// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"
#include "tarl/nn/arena.h"
#include "tarl/nn/instruction_set.h"

namespace tarl::nn {

inline void fill_normal(Rows rows, int count, int width, Rng& rng) {
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < width; ++k) rows.row(i)[k] = static_cast<float>(rng.normal());
  }
}

inline std::vector<float> copied(ConstRows rows, int count, int width) {
  std::vector<float> out;
  for (int i = 0; i < count; ++i) out.insert(out.end(), rows.row(i), rows.row(i) + width);
  return out;
}

// Runs `compute` with every instruction set of this machine; all must give the same bits.
inline void expect_same_bits_everywhere(const std::function<std::vector<float>()>& compute) {
  std::vector<float> first;
  for (const std::string& set : instruction_sets()) {
    use_instruction_set(set);
    const std::vector<float> got = compute();
    if (first.empty()) first = got;
    EXPECT_EQ(first, got) << set;
  }
  use_instruction_set("auto");
}

}  // namespace tarl::nn
