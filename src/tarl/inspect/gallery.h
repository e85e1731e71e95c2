// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/inspect/candidates.h"

namespace tarl::inspect {

// Some of the sights as cards with pictures: of those kept and of those left out as many of every
// rank by score.
std::string gallery_html(const Candidates& candidates);

}  // namespace tarl::inspect
