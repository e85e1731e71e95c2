// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>

namespace tarl::cli {

// Without what steers a terminal: messages quote files from outside. Line breaks stay.
inline std::string printable(std::string text) {
  const auto steers = [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return (code < 0x20 && letter != '\n') || code == 0x7F;
  };
  std::replace_if(text.begin(), text.end(), steers, '?');
  return text;
}

}  // namespace tarl::cli
