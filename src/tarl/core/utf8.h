// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace tarl {

// Whether all of `text` is well-formed UTF-8: shortest forms only, no surrogates.
bool is_utf8(std::string_view text);

}  // namespace tarl
