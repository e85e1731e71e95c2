// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tarl::report {

// How wide text can become, so that what is drawn without a browser leaves room for it.

enum class Weight { kRegular, kBold };

// Pixels that UTF-8 text of a size takes at most in the fonts that figures ask for. The widths are
// those of the widest of them, DejaVu Sans.
double text_width(std::string_view text, double size, Weight weight = Weight::kRegular);

// Lines no wider than `width`, broken after spaces and joining signs where there are some, within
// a word otherwise. At least one line; a line has at least one character.
std::vector<std::string> wrapped(std::string_view text, double size, double width,
                                 Weight weight = Weight::kRegular);

}  // namespace tarl::report
