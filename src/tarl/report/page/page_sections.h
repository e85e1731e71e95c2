// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/report/content.h"
#include "tarl/report/page/page_frame.h"

namespace tarl::report {

// The page's sections in order; empty ones are omitted.
std::vector<Section> page_sections(const Scene& scene, const Content& content);

}  // namespace tarl::report
