// SPDX-License-Identifier: MIT
//
// The code of toml++, compiled once, behind a guard.
#define TOML_IMPLEMENTATION
#include "tarl/core/formats/toml.h"

#include <algorithm>
#include <string>

#include "tarl/core/error.h"

namespace tarl {

namespace {

// Scans a document by TOML's grammar, as far as needed to distinguish the dots between the parts of
// a key from those in strings and comments. If the document is invalid, what follows the error does
// not matter: toml++ stops there.
class KeyScan {
 public:
  explicit KeyScan(std::string_view text) : text_(text) {}

  // The line of the first key or header with too many parts; 0 if there is none.
  int find_long_key() {
    while (at_ < text_.size()) {
      const char letter = text_[at_];
      if (letter == '"' || letter == '\'') {
        skip_string(letter);
        continue;
      }
      if (letter == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (letter == '.') {
        // A value has at most one dot, so only keys come near the limit.
        if (++dots_ >= kMaxKeyParts) return line_;
      } else if (std::string_view("=,[]{}\n").find(letter) != std::string_view::npos) {
        dots_ = 0;
      }
      step();
    }
    return 0;
  }

 private:
  void step() {
    if (text_[at_] == '\n') ++line_;
    ++at_;
  }

  bool three(char quote) const {
    return text_.substr(at_, 3) == (quote == '"' ? R"(""")" : R"(''')");
  }

  void skip_string(char quote) {
    const bool long_form = three(quote);
    at_ += long_form ? 3 : 1;
    while (at_ < text_.size()) {
      if (long_form ? three(quote) : text_[at_] == quote) break;
      if (!long_form && text_[at_] == '\n') return;
      if (quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size()) step();
      step();
    }
    at_ = std::min(at_ + (long_form ? 3 : 1), text_.size());
    // Up to two quotes before the closing three belong to the string.
    for (int i = 0; i < 2 && long_form && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int dots_ = 0;  // since the start of the key, if it is one
};

}  // namespace

toml::table parse_toml(std::string_view document, std::string_view source) {
  const auto refuse = [&](auto line, const std::string& why) {
    throw UsageError(std::string(source) + ":" + std::to_string(line) + ": not valid TOML: " + why);
  };
  // Before building a tree: destroying a deep one is recursive, too.
  if (const int line = KeyScan(document).find_long_key(); line > 0) {
    refuse(line, "a key has more than " + std::to_string(kMaxKeyParts) + " parts");
  }
  try {
    return toml::parse(document, source);
  } catch (const toml::parse_error& problem) {
    refuse(problem.source().begin.line, std::string(problem.description()));
  }
  return {};
}

}  // namespace tarl
