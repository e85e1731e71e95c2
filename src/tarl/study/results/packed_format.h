// SPDX-License-Identifier: MIT
//
// Names in packed.npz, for what writes and what reads it. results/README.md describes the file.
#pragma once

#include <string>

namespace tarl::study::packed_format {

inline constexpr const char* kFormat = "tarl packed study 1";
inline constexpr const char* kAbout = "about";  // JSON: settings, provenance and groups of runs

// Runs are put into groups by their evaluation steps, and others by their log rows.
inline std::string steps(std::size_t group) {
  return "steps_" + std::to_string(group);
}

inline std::string returns(std::size_t group) {
  return "returns_" + std::to_string(group);
}

inline std::string log_prefix(std::size_t group) {
  return "log_" + std::to_string(group) + "/";
}

inline std::string log_steps(std::size_t group) {
  return "log_steps_" + std::to_string(group);
}

inline std::string log_column(std::size_t group, const std::string& column) {
  return log_prefix(group) + column;
}

}  // namespace tarl::study::packed_format
