// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

namespace tarl::replay {

// How often each transition is drawn.
enum class Kind : std::int32_t { kUniform, kPer, kReaper, kAlignment };
// The values of the setting; priorities from alignment scores come with align.mode = prioritize.
inline constexpr std::array kKindNames = {"uniform", "per", "reaper"};

inline const char* name_of(Kind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

enum class Draw : std::int32_t {
  kIndependent,  // each row from the whole mass
  kStratified,   // one row in each of `rows` equal shares of the mass (Schaul et al. 2016)
};
inline constexpr std::array kDrawNames = {"independent", "stratified"};

}  // namespace tarl::replay
