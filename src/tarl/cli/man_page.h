// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <utility>

namespace tarl::cli {

inline constexpr const char* kManOption = "--man";  // of tarl help

// What every exit code means.
std::span<const std::pair<int, const char*>> exit_codes();

// tarl(1), from the tables of the verbs.
std::string man_page();

}  // namespace tarl::cli
