// SPDX-License-Identifier: MIT
#include "tarl/train/model_metadata.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
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

constexpr double kMostValues = 1 << 24;  // in an observation, or discrete actions

[[noreturn]] void refuse_value(const std::string& key, const std::string& value,
                               const std::string& source) {
  throw Error(source + ": " + key + " = '" + value + "' of its metadata makes no sense");
}

// A JSON list of numbers.
std::vector<double> list_in(const ModelMetadata& metadata, const std::string& key,
                            const std::string& source) {
  const std::string& text = model_value(metadata, key, source);
  try {
    return parse_json(text).get<std::vector<double>>();
  } catch (const Json::exception&) {
    refuse_value(key, text, source);
  }
}

rl::ObsSpec obs_in(const ModelMetadata& metadata, const std::string& source) {
  const std::string& name = model_value(metadata, "observation", source);
  const auto kind = find_value<rl::ObsKind>(kObsNames, name);
  if (!kind) refuse_value("observation", name, source);
  const std::vector<double> sides = list_in(metadata, "observation_shape", source);
  double size = sides.size() == (*kind == rl::ObsKind::kFloats ? 1U : 3U) ? 1 : 0;
  for (const double side : sides) size *= side >= 1 && side == std::floor(side) ? side : 0;
  if (!(size >= 1 && size <= kMostValues)) {
    refuse_value("observation_shape", metadata.at("observation_shape"), source);
  }
  rl::ObsSpec obs{.kind = *kind, .channels = static_cast<int>(sides[0])};
  if (sides.size() == 1) return obs;
  obs.height = static_cast<int>(sides[1]);
  obs.width = static_cast<int>(sides[2]);
  return obs;
}

rl::ActionSpec action_in(const ModelMetadata& metadata, const std::string& source) {
  rl::ActionSpec action;
  if (metadata.contains("actions")) {
    const std::string& text = metadata.at("actions");
    const double count = parse_number(text, 0);
    if (!(count >= 1 && count <= kMostValues && count == std::floor(count))) {
      refuse_value("actions", text, source);
    }
    action.count = static_cast<int>(count);
    return action;
  }
  const auto bounds = [&](const char* key, auto& out) {
    const std::vector<double> values = list_in(metadata, key, source);
    const bool finite = std::all_of(values.begin(), values.end(), [](double value) {
      return std::abs(value) <= double{std::numeric_limits<float>::max()};
    });
    if (values.empty() || values.size() > out.size() || !finite) {
      refuse_value(key, metadata.at(key), source);
    }
    std::transform(values.begin(), values.end(), out.begin(),
                   [](double value) { return static_cast<float>(value); });
    return static_cast<int>(values.size());
  };
  action.size = bounds("action_low", action.low);
  if (bounds("action_high", action.high) != action.size) {
    refuse_value("action_high", metadata.at("action_high"), source);
  }
  return action;
}

}  // namespace

ModelMetadata model_metadata(const RunConfig& config, std::int64_t step) {
  const rl::EnvSpec spec = config.environment().describe();
  ModelMetadata out = {
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

const std::string& model_value(const ModelMetadata& metadata, const std::string& key,
                               const std::string& source) {
  const auto found = metadata.find(key);
  if (found != metadata.end()) return found->second;
  throw Error(source + " does not say its '" + key +
              "': it is no model file of tarl, or one of an earlier version");
}

rl::EnvSpec spec_of_model(const ModelMetadata& metadata, const std::string& source) {
  rl::EnvSpec spec;
  spec.name = spec.title = model_value(metadata, "env", source);
  spec.obs = obs_in(metadata, source);
  spec.action = action_in(metadata, source);
  return spec;
}

NormalizeConfig normalization_of_model(const ModelMetadata& metadata, const std::string& source) {
  RunConfig settings;
  Fields table = fields(settings);
  for (const auto& [key, value] : metadata) {
    if (key.starts_with("normalize.")) set_field(table, key, value, source);
  }
  return settings.normalize;
}

}  // namespace tarl::train
