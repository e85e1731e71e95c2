// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::report {

// Parts of page_script(), in order of use.
extern const char* const kControlsScript;  // hover, zoom, legend, buttons, theme
extern const char* const kSelfTestScript;  // with #selftest in the address

}  // namespace tarl::report
