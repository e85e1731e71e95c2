// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tarl::report {

// Upper bounds on the width of text, for drawings made without a browser.

enum class Weight { kRegular, kBold };

// The largest width in pixels of UTF-8 text of a given size in any of the fonts that figures use:
// that of the widest one, DejaVu Sans.
double text_width(std::string_view text, double size, Weight weight = Weight::kRegular);

// Lines no wider than `width`, broken after spaces and joining signs if possible, otherwise within
// a word. At least one line; each line has at least one character.
std::vector<std::string> wrapped(std::string_view text, double size, double width,
                                 Weight weight = Weight::kRegular);

}  // namespace tarl::report
