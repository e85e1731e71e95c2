// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/report/content.h"

namespace tarl::report {

struct Section {
  const char* id;
  const char* title;  // HTML
  std::string html;
};

// The page's sections in order; those without content are left out.
std::vector<Section> page_sections(const Scene& scene, const Content& content);

}  // namespace tarl::report
