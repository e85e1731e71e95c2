// SPDX-License-Identifier: MIT
#include "tarl/cli/policy_choice.h"

#include <cstdio>

#include "tarl/cli/printable.h"
#include "tarl/core/error.h"

namespace tarl::cli {

Option best_option() {
  return {"--best", "", "the model of the best evaluation instead of the last", {}};
}

Option checkpoint_option() {
  return {"--checkpoint", "[STEP]", "a checkpoint, the newest or that of a step", {}};
}

train::PolicyChoice policy_choice(const Args& args) {
  if (args.has("--best") && args.has("--checkpoint")) {
    throw UsageError("--best and --checkpoint are different models; choose one");
  }
  if (args.has("--best")) return {train::PolicySource::kBest};
  if (!args.has("--checkpoint")) return {};
  train::PolicyChoice choice{train::PolicySource::kCheckpoint};
  if (!args.value("--checkpoint")->empty()) {
    choice.step = args.whole("--checkpoint", 0, 0, 1LL << 53);
  }
  return choice;
}

void say(const std::string& line) {
  std::fprintf(stderr, "tarl: %s\n", printable(line).c_str());
}

}  // namespace tarl::cli
