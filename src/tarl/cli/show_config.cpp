// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tarl/cli/config_request.h"
#include "tarl/cli/verbs.h"
#include "tarl/train/config.h"
#include "tarl/train/margin.h"

namespace tarl::cli {

namespace {

int run_show_config(const Args& args) {
  const train::RunConfig config = train::with_margin(train::resolve(config_request(args)), 1, tell);
  std::fputs(train::config_to_toml(config, true).c_str(), stdout);
  return kExitGood;
}

}  // namespace

Verb show_config_verb() {
  return {.name = "show-config",
          .summary = "print every setting of a run, resolved and explained, as TOML",
          .usage = "[--algo NAME] [--env NAME] [--preset NAME] [--set key=value]...",
          .options = config_options(),
          .examples = {"tarl show-config --algo ta-dqn+per --env minatar/freeway",
                       "tarl show-config --preset paper-listing > mine.toml"},
          .run = run_show_config};
}

}  // namespace tarl::cli
