// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tarl/core/error.h"

namespace tarl::test {

// The message of the Error that `call` throws; empty if it throws none. Anything else passes
// through and fails the test.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& problem) {
    return problem.what();
  }
  return "";
}

inline bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos;
}

}  // namespace tarl::test
