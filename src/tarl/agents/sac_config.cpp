// SPDX-License-Identifier: MIT
#include "tarl/agents/sac_config.h"

#include <cmath>
#include <cstdlib>

#include "tarl/core/error.h"

namespace tarl::agents {

namespace {

// Far beyond any useful value, and far below where a float in an update overflows.
constexpr double kLargest = 1e6;

}  // namespace

Fields fields(SacConfig& config) {
  constexpr double kTiny = 1e-300;  // above zero
  return {
      sizes("policy.net_arch", config.net_arch, 2, 65536,
            "widths of the hidden layers of the actor and of each critic"),
      number("learning_rate", config.learning_rate, kTiny, 1e3,
             "step size of Adam, for actor, critics and temperature"),
      text("ent_coef", config.ent_coef,
           "temperature: auto (learned from 1), auto_0.1 (learned from 0.1), or a fixed number"),
      number_or({"auto", std::numeric_limits<double>::quiet_NaN()},
                number("target_entropy", config.target_entropy, -kLargest, kLargest,
                       "entropy the learned temperature aims at; auto chooses minus the action's "
                       "size")),
      choice("sac.alignment_target", config.alignment_target, kAlignmentTargetNames,
             "targets a critic is scored with: the smaller critic's, as trained on, or its own"),
  };
}

SacConfig completed(SacConfig config, int action_size) {
  if (config.ent_coef == "auto") config.ent_coef = "auto_1";
  if (std::isnan(config.target_entropy)) config.target_entropy = -action_size;
  return config;
}

EntropyCoefficient entropy_coefficient(const SacConfig& config) {
  const std::string& text = config.ent_coef;
  require(text != "auto", "settings of SAC that are not completed");
  const bool learned = text.starts_with("auto_");
  const std::string number = learned ? text.substr(5) : text;
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0' || !(value > 0 && value <= kLargest)) {
    throw UsageError("ent_coef = '" + text +
                     "' is not allowed; give auto, auto_ and a number, or a number, above 0 and up "
                     "to 1e6");
  }
  return {value, learned};
}

}  // namespace tarl::agents
