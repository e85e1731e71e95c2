// SPDX-License-Identifier: MIT
#include "tarl/train/algorithm.h"

#include "tarl/core/error.h"
#include "tarl/core/fields.h"

namespace tarl::train {

namespace {

constexpr std::string_view kAligned = "ta-";

std::vector<Algorithm> all_algorithms() {
  std::vector<Algorithm> all;
  for (std::size_t replay = 0; replay < replay::kKindNames.size(); ++replay) {
    for (const agents::Entry& agent : agents::registry().entries()) {
      for (const bool aligned : {false, true}) {
        all.push_back({agent.name, aligned, static_cast<replay::Kind>(replay)});
      }
    }
  }
  return all;
}

}  // namespace

std::string Algorithm::name() const {
  const std::string behind =
      replay == replay::Kind::kUniform ? "" : std::string("+") + replay::name_of(replay);
  return (aligned ? std::string(kAligned) : "") + base + behind;
}

Algorithm parse_algorithm(std::string_view name) {
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.name() == name) return algorithm;
  }
  throw UsageError("no algorithm is called '" + std::string(name) + "'" +
                   did_you_mean(name, algorithm_names()) +
                   " (tarl list algos shows all; --plugin adds others)");
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : all_algorithms()) names.push_back(algorithm.name());
  return names;
}

NameParts name_parts(std::string_view algorithm) {
  NameParts parts;
  parts.aligned = algorithm.starts_with(kAligned);
  if (parts.aligned) algorithm.remove_prefix(kAligned.size());
  const std::size_t plus = algorithm.find('+');
  parts.base = algorithm.substr(0, plus);
  if (plus != std::string_view::npos) parts.replay = algorithm.substr(plus + 1);
  return parts;
}

std::size_t rank_of_base(std::string_view base) {
  std::size_t rank = 0;
  for (const agents::Entry& agent : agents::registry().entries()) {
    if (agent.name == base) return rank;
    ++rank;
  }
  return rank;
}

}  // namespace tarl::train
