// SPDX-License-Identifier: MIT
#include "tarl/cli/json_output.h"

#include <cstdio>

#include "tarl/core/exit_codes.h"

namespace tarl::cli {

Option json_option() {
  return {"--json", "", "print one JSON document for programs", {}};
}

bool wants_json(const Args& args) {
  return args.has("--json");
}

int print_json(const Json& json) {
  std::fputs(json_page(json).c_str(), stdout);
  std::fflush(stdout);
  return kExitGood;
}

void print_json_line(const Json& json) {
  std::printf("%s\n", json_line(json).c_str());
  std::fflush(stdout);
}

}  // namespace tarl::cli
