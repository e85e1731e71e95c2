// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace tarl::report {

// The page's script: redraws learning curves from the embedded data (band, smoothing, zoom,
// hidden algorithms), shows values under the pointer, switches the theme, and with #selftest in
// the address drives its own controls and writes the outcome into the title.
std::string page_script();

}  // namespace tarl::report
