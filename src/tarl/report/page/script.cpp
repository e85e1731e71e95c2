// SPDX-License-Identifier: MIT
#include "tarl/report/page/script.h"

#include "tarl/report/page/assets.h"
#include "tarl/report/text.h"

namespace tarl::report {

std::string page_script() {
  return concat({"(()=>{\n", embedded(kPageAssets, "numbers.js"),
                 embedded(kPageAssets, "drawing.js"), embedded(kPageAssets, "controls.js"),
                 embedded(kPageAssets, "selftest.js"), "})();"});
}

}  // namespace tarl::report
