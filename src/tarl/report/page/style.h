// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace tarl::report {

inline constexpr int kHues = 10;  // colour classes c0 .. c9, and "muted"

std::string page_style();      // the whole page, light, dark and print
std::string svg_file_style();  // a figure on its own, light

}  // namespace tarl::report
