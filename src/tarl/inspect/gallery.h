// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/inspect/candidates.h"

namespace tarl::inspect {

// Some of the sights as cards with pictures: kept and rejected ones, evenly spaced in rank by
// score.
std::string gallery_html(const Candidates& candidates);

}  // namespace tarl::inspect
