// SPDX-License-Identifier: MIT
#include "tarl/train/algorithm.h"

#include "tarl/core/error.h"
#include "tarl/core/fields.h"

namespace tarl::train {

namespace {

std::vector<Algorithm> all_algorithms() {
  std::vector<Algorithm> all;
  for (std::size_t replay = 0; replay < replay::kKindNames.size(); ++replay) {
    for (std::size_t base = 0; base < kBaseNames.size(); ++base) {
      for (const bool aligned : {false, true}) {
        all.push_back({static_cast<Base>(base), aligned, static_cast<replay::Kind>(replay)});
      }
    }
  }
  return all;
}

}  // namespace

std::string Algorithm::name() const {
  const std::string behind =
      replay == replay::Kind::kUniform ? "" : std::string("+") + replay::name_of(replay);
  return (aligned ? "ta-" : "") + base_name() + behind;
}

Algorithm parse_algorithm(std::string_view name) {
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.name() == name) return algorithm;
  }
  throw UsageError("no algorithm is called '" + std::string(name) + "'" +
                   did_you_mean(name, algorithm_names()) + " (tarl list algos shows all)");
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : all_algorithms()) names.push_back(algorithm.name());
  return names;
}

}  // namespace tarl::train
