// SPDX-License-Identifier: MIT
#include "bindings/settings.h"

#include <cmath>
#include <type_traits>

#include "bindings/bindings.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tarl/core/error.h"
#include "tarl/core/formats/toml.h"
#include "tarl/train/presets.h"

namespace nb = nanobind;

namespace tarl::python {

namespace {

nb::object value_of(const Field& field) {
  const auto* number = std::get_if<double*>(&field.value);
  if (number != nullptr && std::isnan(**number) && field.marker) {
    return nb::cast(field.marker->text);
  }
  return std::visit(
      [](const auto& value) -> nb::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, EnumValue>) {
          return nb::cast(value.name());
        } else {
          return nb::cast(*value);
        }
      },
      field.value);
}

nb::object choices_of(const Field& field) {
  const auto* value = std::get_if<EnumValue>(&field.value);
  if (value == nullptr) return nb::none();
  nb::list names;
  for (const char* name : value->names) names.append(name);
  return names;
}

// What Python must know from a config.toml before it can read the rest.
nb::tuple run_of(const std::string& toml, const std::string& source) {
  const toml::table root = parse_toml(toml, source);
  const auto algo = root["algo"].value<std::string>(), env = root["env"].value<std::string>();
  if (!algo || !env) throw Error(source + " names no algo or no env");
  return nb::make_tuple(*algo, *env, root["n_envs"].value_or(std::int64_t{1}));
}

SettingsTable default_settings(const std::string& algo, const std::string& env) {
  const train::Algorithm algorithm = train::parse_algorithm(algo);
  train::RunConfig config = train::defaults_of(algorithm);
  if (const auto preset = train::default_preset(env, train::preset_base(algorithm))) {
    config.env = env;
    train::apply_preset(config, *preset);
  }
  return settings_table(config);
}

}  // namespace

SettingsTable settings_table(train::RunConfig config) {
  nb::list rows;
  for (const Field& field : train::fields(config)) {
    nb::dict row;
    row["key"] = field.name;
    row["value"] = value_of(field);
    row["toml"] = field.to_toml();
    row["type"] = field.type();
    row["help"] = field.help;
    row["low"] = field.low;
    row["high"] = field.high;
    row["choices"] = choices_of(field);
    row["marker"] = field.marker ? nb::cast(field.marker->text) : nb::none();
    row["prefix"] = field.prefix ? nb::cast(field.prefix->text) : nb::none();
    rows.append(row);
  }
  return nb::borrow<SettingsTable>(rows);
}

void bind_settings(nb::module_& module) {
  module.def(
      "default_settings", &default_settings, nb::arg("algo"), nb::arg("env") = "",
      "The settings of an algorithm, with those of the preset of an environment's name where "
      "there is one.");
  module.def("run_of", &run_of, nb::arg("toml"), nb::arg("source"),
             nb::sig("def run_of(toml: str, source: str) -> tuple[str, str, int]"),
             "Algorithm, environment and n_envs of a config.toml.");
}

}  // namespace tarl::python
