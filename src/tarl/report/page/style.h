// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>

namespace tarl::report {

inline constexpr int kHues = 10;  // colour classes c0 .. c9, and "muted"

// Their colours, "#rrggbb", in the order in which conditions take them.
using Palette = std::array<const char*, kHues + 1>;
const Palette& light_palette();  // on white; also for files and print
const Palette& dark_palette();

std::string page_style();      // the whole page, light, dark and print
std::string svg_file_style();  // a figure on its own, light

}  // namespace tarl::report
