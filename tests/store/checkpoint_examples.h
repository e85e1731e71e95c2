// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/state.h"

namespace tarl::store {

// A small state that differs from step to step.
inline Tensors state_of(std::int64_t step, std::size_t floats = 40) {
  Tensors state;
  StateWriter out(state);
  out.put("step", step);
  out.group("agent").put("weights", std::vector<float>(floats, static_cast<float>(step) + 0.25F));
  out.group("replay").put("rewards", std::vector<double>{1, 2, static_cast<double>(step)});
  return state;
}

inline bool same(const Tensors& a, const Tensors& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.dtype == y.second.dtype &&
           x.second.shape == y.second.shape && x.second.bytes == y.second.bytes;
  });
}

// The sorted names in a folder.
inline std::vector<std::string> names(const fs::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace tarl::store
