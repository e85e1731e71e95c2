// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "tarl/core/files.h"

namespace tarl::store {

// The end of a log that may be growing: its last bytes from the first line that is whole, without
// reading the rest. Empty if there is no such file.
std::string log_tail(const fs::path& file, std::size_t bytes);

// Calls visit with every line that ends in a line break.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    visit(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

}  // namespace tarl::store
