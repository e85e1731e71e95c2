// SPDX-License-Identifier: MIT
#include "tarl/agents/sac_config.h"

#include <cmath>
#include <cstdlib>

#include "tarl/core/error.h"

namespace tarl::agents {

namespace {

double parse_number(const std::string& key, const std::string& text, const std::string& number,
                    const char* allowed) {
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  // Far beyond what is of use, and far from where a float in an update overflows.
  constexpr double kLargest = 1e6;
  if (number.empty() || *end != '\0' || !(std::fabs(value) <= kLargest)) {
    throw UsageError(key + " = '" + text + "' is not allowed; give " + allowed);
  }
  return value;
}

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
      text("target_entropy", config.target_entropy,
           "entropy the learned temperature aims at: auto (minus the action's size) or a number"),
      choice("sac.alignment_target", config.alignment_target, kAlignmentTargetNames,
             "targets a critic is scored with: the smaller critic's, as trained on, or its own"),
  };
}

EntropyCoefficient entropy_coefficient(const SacConfig& config) {
  constexpr const char* kAllowed = "auto, auto_ and a number, or a number, above 0 and up to 1e6";
  const std::string& text = config.ent_coef;
  if (text == "auto") return {};
  const bool learned = text.starts_with("auto_");
  const double value = parse_number("ent_coef", text, learned ? text.substr(5) : text, kAllowed);
  if (value <= 0) throw UsageError("ent_coef = '" + text + "' is not allowed; give " + kAllowed);
  return {value, learned};
}

double target_entropy(const SacConfig& config, int action_size) {
  if (config.target_entropy == "auto") return -action_size;
  return parse_number("target_entropy", config.target_entropy, config.target_entropy,
                      "auto or a number from -1e6 to 1e6");
}

}  // namespace tarl::agents
