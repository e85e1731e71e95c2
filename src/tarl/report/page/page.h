// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/report/content.h"

namespace tarl::report {

// The page. `files` is the name of the folder beside it.
std::string page_html(const Scene& scene, const Content& content, const std::string& files);

// What the page's script redraws curves from: scores by environment, algorithm and seed, with
// bootstrap intervals of the mean.
std::string page_data(const Scene& scene);

// The summary in Markdown.
std::string summary_markdown(const Scene& scene, const Content& content);

}  // namespace tarl::report
