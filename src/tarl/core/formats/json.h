// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "tarl/core/error.h"

namespace tarl {

// A document that may be walked or written by recursion: throws Error where it is nested deeper
// than any of ours, and the library's own exceptions where it is no JSON.
inline nlohmann::json parse_shallow_json(const std::string& text) {
  constexpr int kDeepest = 64;
  return nlohmann::json::parse(text, [](int depth, auto, const auto&) {
    if (depth > kDeepest) throw Error("it is nested too deeply");
    return true;
  });
}

}  // namespace tarl
