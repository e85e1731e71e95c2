// SPDX-License-Identifier: MIT
#include "tarl/cli/list_envs.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/core/lower_case.h"

namespace tarl::cli {

namespace {

using Row = std::array<std::string, 4>;  // name, observation, actions, names elsewhere

std::string observation_text(const rl::ObsSpec& obs) {
  if (obs.kind == rl::ObsKind::kFloats) return std::to_string(obs.size()) + " numbers";
  return std::to_string(obs.height) + "x" + std::to_string(obs.width) + "x" +
         std::to_string(obs.channels) + (obs.kind == rl::ObsKind::kBits ? " bits" : " pixels");
}

// "3" discrete actions, or "2 in +-0.4".
std::string action_text(const rl::ActionSpec& action) {
  if (action.discrete()) return std::to_string(action.count);
  const auto size = static_cast<std::size_t>(action.size);
  const auto same = [size](const auto& bounds) {
    return std::all_of(bounds.begin(), bounds.begin() + size,
                       [&](float bound) { return bound == bounds[0]; });
  };
  const std::string count = std::to_string(action.size) + " in ";
  if (!same(action.low) || !same(action.high)) return count + "a box";
  char range[64];
  if (action.low[0] == -action.high[0]) {
    std::snprintf(range, sizeof range, "+-%g", double{action.high[0]});
  } else {
    std::snprintf(range, sizeof range, "[%g, %g]", double{action.low[0]}, double{action.high[0]});
  }
  return count + range;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

bool matches(const std::string& filter, std::string name, const std::vector<std::string>& others) {
  for (const std::string& other : others) name += "\n" + other;
  return lower_case(name).find(lower_case(filter)) != std::string::npos;
}

[[noreturn]] void refuse_filter(const envs::Registry& registry, const std::string& filter) {
  throw UsageError("no environment has '" + filter + "' in its name" +
                   did_you_mean(filter, registry.names()) + " (tarl list envs shows all)");
}

std::string text_of(const std::vector<Row>& rows) {
  std::array<std::size_t, 3> width{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < width.size(); ++i) width[i] = std::max(width[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i < width.size()) line.append(width[i] + 2 - row[i].size(), ' ');
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace

std::string env_table(const envs::Registry& registry, const std::string& filter) {
  std::vector<Row> rows = {{"name", "observation", "actions", "also called"}};
  for (const auto& [name, entry] : registry.entries()) {
    if (!matches(filter, name, entry.aliases)) continue;
    const rl::EnvSpec spec = entry.describe();
    rows.push_back(
        {name, observation_text(spec.obs), action_text(spec.action), joined(entry.aliases)});
  }
  std::string missing;
  for (const auto& [prefix, family] : registry.missing()) {
    if (matches(filter, prefix, family.names)) missing += prefix + "...  (" + family.remedy + ")\n";
  }
  if (rows.size() == 1 && missing.empty()) refuse_filter(registry, filter);
  return (rows.size() > 1 ? text_of(rows) : "") + missing;
}

Json env_json(const envs::Registry& registry, const std::string& filter) {
  Json json = {{"environments", Json::array()}, {"missing", Json::array()}};
  for (const auto& [name, entry] : registry.entries()) {
    if (!matches(filter, name, entry.aliases)) continue;
    const rl::EnvSpec spec = entry.describe();
    json["environments"].push_back({{"name", name},
                                    {"observation", observation_text(spec.obs)},
                                    {"actions", action_text(spec.action)},
                                    {"discrete", spec.action.discrete()},
                                    {"aliases", entry.aliases}});
  }
  for (const auto& [prefix, family] : registry.missing()) {
    if (!matches(filter, prefix, family.names)) continue;
    json["missing"].push_back({{"prefix", prefix}, {"remedy", family.remedy}});
  }
  if (json["environments"].empty() && json["missing"].empty()) refuse_filter(registry, filter);
  return json;
}

}  // namespace tarl::cli
