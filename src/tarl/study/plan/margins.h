// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "tarl/core/files.h"
#include "tarl/study/plan/study.h"
#include "tarl/train/margin.h"

namespace tarl::study {

// The study with a number in place of every condition's open margin, which all of its runs share.
// It is measured once, in the study's first environment, and stored in margins.json in the study's
// folder, from which later calls take it. Messages for the user go to `notice`.
Study with_margins(Study study, const fs::path& out,
                   const std::function<void(const std::string&)>& notice,
                   const train::MarginRule& rule = train::processor_margins());

// Labels of the conditions whose margin is still to be measured.
std::vector<std::string> open_margins(const Study& study, const fs::path& out);

}  // namespace tarl::study
