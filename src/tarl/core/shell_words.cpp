// SPDX-License-Identifier: MIT
#include "tarl/core/shell_words.h"

namespace tarl {

namespace {

constexpr const char* kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";

}  // namespace

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char letter : text)
    out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return out + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    line += (line.empty() ? "" : " ") + (plain ? word : shell_quoted(word));
  }
  return line;
}

}  // namespace tarl
