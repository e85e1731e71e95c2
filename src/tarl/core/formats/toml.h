// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

namespace tarl {

// The line (from 1) of the first letter beyond ASCII that is neither in quotes nor in a comment; 0
// where there is none.
int first_bare_letter(std::string_view document);

// As toml::parse, which throws toml::parse_error; and UsageError on letters beyond ASCII outside of
// quotes: TOML does not know them, and toml++ 3.3 runs into undefined behaviour.
toml::table parse_toml(std::string_view document, std::string_view source);

}  // namespace tarl
