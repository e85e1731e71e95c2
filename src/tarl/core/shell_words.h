// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace tarl {

// Text as one POSIX shell word, in single quotes.
std::string shell_quoted(const std::string& text);

// A command as one would type it: quotes only where needed.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace tarl
