// SPDX-License-Identifier: MIT
#include "tarl/train/model_metadata.h"

#include <array>
#include <span>

#include "tarl/core/formats/number.h"

namespace tarl::train {

namespace {

constexpr std::array kObsNames = {"bits", "bytes", "floats"};  // by rl::ObsKind

std::string list_of(std::span<const float> values) {
  std::string out;
  for (const float value : values) {
    out += (out.empty() ? "" : ", ") + format_number(static_cast<double>(value));
  }
  return "[" + out + "]";
}

std::string shape_of(const rl::ObsSpec& obs) {
  if (obs.kind == rl::ObsKind::kFloats) return "[" + std::to_string(obs.size()) + "]";
  return "[" + std::to_string(obs.channels) + ", " + std::to_string(obs.height) + ", " +
         std::to_string(obs.width) + "]";
}

std::string without_quotes(std::string text) {
  std::erase(text, '"');
  return text;
}

}  // namespace

std::map<std::string, std::string> model_metadata(const RunConfig& config, std::int64_t step) {
  const rl::EnvSpec spec = config.environment().describe();
  std::map<std::string, std::string> out = {
      {"algo", config.algorithm().base},  // what the networks are, however they were trained
      {"env", config.env},
      {"steps", std::to_string(step)},
      {"activation", "relu"},
      {"observation", kObsNames[static_cast<std::size_t>(spec.obs.kind)]},
      {"observation_shape", shape_of(spec.obs)}};
  const auto size = static_cast<std::size_t>(spec.action.size);
  if (spec.action.discrete()) {
    out["actions"] = std::to_string(spec.action.count);
  } else {
    out["action_low"] = list_of(std::span(spec.action.low).first(size));
    out["action_high"] = list_of(std::span(spec.action.high).first(size));
  }
  RunConfig settings = config;
  for (const Field& field : fields(settings)) {
    const bool network = field.name.starts_with("policy.") || field.name == "dueling";
    const bool moments = config.normalize.any() && field.name.starts_with("normalize.");
    if (network || moments) out[field.name] = without_quotes(field.to_toml());
  }
  return out;
}

}  // namespace tarl::train
