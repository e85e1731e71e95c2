// SPDX-License-Identifier: MIT
#include "tarl/core/formats/toml.h"

#include <algorithm>
#include <string>

#include "tarl/core/error.h"

namespace tarl {

namespace {

// The rest of the document behind the string that it starts with; nothing behind one that does not
// end, for no parser gets beyond it.
std::string_view after_string(std::string_view rest) {
  const char quote = rest.front();
  const std::string thrice(3, quote);
  const bool many_lines = rest.starts_with(thrice);
  const std::string end = many_lines ? thrice : std::string(1, quote);
  rest.remove_prefix(end.size());
  while (!rest.empty() && !rest.starts_with(end)) {
    if (!many_lines && rest.front() == '\n') return {};
    const bool escaped = quote == '"' && rest.front() == '\\' && rest.size() > 1;
    rest.remove_prefix(escaped ? 2 : 1);
  }
  rest.remove_prefix(std::min(end.size(), rest.size()));
  // Up to two quotes may stand before the three that end it.
  while (many_lines && rest.starts_with(quote)) rest.remove_prefix(1);
  return rest;
}

}  // namespace

int first_bare_letter(std::string_view document) {
  std::string_view rest = document;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  while (!rest.empty()) {
    if (rest.front() == '#') {
      rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
    } else if (rest.front() == '"' || rest.front() == '\'') {
      rest = after_string(rest);
    } else if (static_cast<unsigned char>(rest.front()) >= 0x80) {
      const auto before = document.substr(0, document.size() - rest.size());
      return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    } else {
      rest.remove_prefix(1);
    }
  }
  return 0;
}

toml::table parse_toml(std::string_view document, std::string_view source) {
  if (const int line = first_bare_letter(document)) {
    throw UsageError(std::string(source) + ":" + std::to_string(line) +
                     ": not valid TOML: letters beyond ASCII must be in quotes");
  }
  return toml::parse(document, source);
}

}  // namespace tarl
