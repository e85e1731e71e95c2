// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <variant>

#include "tarl/cli/config_request.h"
#include "tarl/cli/json_output.h"
#include "tarl/cli/verbs.h"
#include "tarl/train/config.h"
#include "tarl/train/margin.h"

namespace tarl::cli {

namespace {

Json json_value(const Field& field) {
  const auto* number = std::get_if<double*>(&field.value);
  if (number != nullptr && std::isnan(**number) && field.marker) return field.marker->text;
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, EnumValue>) {
          return value.name();
        } else {
          return *value;
        }
      },
      field.value);
}

std::vector<Option> show_config_options() {
  std::vector<Option> all = config_options();
  all.push_back(json_option());
  return all;
}

int run_show_config(const Args& args) {
  train::RunConfig config = train::with_margin(train::resolve(config_request(args)), 1, tell);
  if (wants_json(args)) {
    Json json = Json::object();
    for (const Field& field : train::fields(config)) json[field.name] = json_value(field);
    return print_json(json);
  }
  std::fputs(train::config_to_toml(config, true).c_str(), stdout);
  return kExitGood;
}

}  // namespace

Verb show_config_verb() {
  return {.name = "show-config",
          .summary = "print every setting of a run, resolved and explained, as TOML",
          .usage = "[--algo NAME] [--env NAME] [--preset NAME] [--set key=value]... [--json]",
          .options = show_config_options(),
          .examples = {"tarl show-config --algo ta-dqn+per --env minatar/freeway",
                       "tarl show-config --preset paper-listing > mine.toml"},
          .run = run_show_config};
}

}  // namespace tarl::cli
