// SPDX-License-Identifier: MIT
#include "tarl/cli/config_request.h"

#include <cstdio>

#include "tarl/core/machine.h"

namespace tarl::cli {

namespace {

// "[ta-]dqn|ddqn|...[+per|+reaper]"
std::string algorithm_help() {
  std::string bases;
  for (const std::string& name : agents::registry().names()) {
    bases += (bases.empty() ? "" : "|") + name;
  }
  return "algorithm: [ta-]" + bases + "[+per|+reaper] (default ta-dqn)";
}

}  // namespace

std::vector<Option> config_options() {
  return {
      {"--algo", "NAME", algorithm_help(), {}},
      {"--env", "NAME", "environment (default minatar/breakout; tarl list envs)", {}},
      {"--preset",
       "NAME",
       "settings to start from (default: the family's paper preset)",
       {"-conf"}},
      {"--seed", "N", "seed of the run (default 0)", {}},
      {"--steps", "N", "environment steps, e.g. 2e6", {"-n", "--n-timesteps", "--total-timesteps"}},
      {"--margin",
       "F|auto",
       "oversampling b = F * batch_size (0 is the plain agent; auto: measured here)",
       {}},
      {"--on-nan",
       "stop|skip",
       "after a value that is not finite: stop, or leave that update out",
       {}},
      {"--set", "KEY=VALUE", "change one setting; may be repeated (tarl show-config)", {}},
  };
}

train::ConfigRequest config_request(const Args& args) {
  train::ConfigRequest request;
  request.algo = args.value("--algo");
  request.env = args.value("--env");
  request.preset = args.value("--preset");
  request.seed = args.value("--seed");
  request.steps = args.value("--steps");
  request.margin = args.value("--margin");
  request.set = args.values("--set");
  if (const auto on_nan = args.value("--on-nan")) request.set.push_back("on_nan=" + *on_nan);
  return request;
}

void tell(const std::string& line) {
  std::fprintf(stderr, "tarl: %s\n", line.c_str());
}

int compute_threads(const Args& args) {
  const auto threads = static_cast<int>(args.whole("--threads", 1, 1, 1024));
  const auto processors = static_cast<int>(usable_cpus().size());
  if (threads > processors) {
    std::fprintf(stderr, "tarl: --threads %d is more than the processors here (%d): %s\n", threads,
                 processors, "the result is the same, but takes longer");
  }
  return threads;
}

}  // namespace tarl::cli
