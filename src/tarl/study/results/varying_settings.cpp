// SPDX-License-Identifier: MIT
#include "tarl/study/results/varying_settings.h"

#include <algorithm>
#include <numeric>

#include "tarl/study/results/guess_conditions.h"

namespace tarl::study {

namespace {

constexpr std::size_t kMostNamed = 3;  // more keys than these make a name unreadable

using Runs = std::vector<const Run*>;
using Keys = std::set<std::string>;
using Values = std::vector<std::string>;

// Of an aligned agent and of its plain version, which has no settings of alignment.
bool is_shared(const std::string& key) {
  return !key.starts_with("align.");
}

Values values_of(const Run& run, const Keys& keys) {
  Values values;
  for (const std::string& key : keys) {
    if (is_shared(key)) values.push_back(run.setting(key, "unset"));
  }
  return values;
}

// Keys with several values among runs of the same environment.
Keys varying_within_environments(const Runs& runs) {
  std::map<std::string, const Settings*> first_seen;
  Keys varying;
  for (const Run* run : runs) {
    const Settings& first = *first_seen.emplace(run->env, &run->config).first->second;
    for (const auto& [key, value] : run->config) {
      const auto before = first.find(key);
      if (before != first.end() && before->second != value && !is_no_variant(key)) {
        varying.insert(key);
      }
    }
  }
  return varying;
}

// The runs of a family by kind: environments belong together if a run of one has the settings of
// a run of the other.
std::vector<Runs> by_kind(const Runs& family) {
  const Keys keys = varying_within_environments(family);
  std::map<std::string, std::size_t> kind_of;  // by environment
  std::map<Values, std::string> first_with;    // environment
  for (const Run* run : family) {
    const std::size_t mine = kind_of.emplace(run->env, kind_of.size()).first->second;
    const std::string& env = first_with.emplace(values_of(*run, keys), run->env).first->second;
    const std::size_t other = kind_of.at(env);
    for (auto& [name, kind] : kind_of) {
      if (kind == mine) kind = other;
    }
  }
  std::map<std::size_t, Runs> kinds;
  for (const Run* run : family) kinds[kind_of.at(run->env)].push_back(run);
  std::vector<Runs> out;
  out.reserve(kinds.size());
  for (auto& [kind, runs] : kinds) out.push_back(std::move(runs));
  return out;
}

std::size_t count_variants(const Runs& runs, const Keys& keys) {
  std::set<Values> seen;
  for (const Run* run : runs) seen.insert(values_of(*run, keys));
  return seen.size();
}

// Greedily the key that tells most runs apart, until nothing more is gained. Settings of the
// alignment are all named: they are what runs are compared for.
Keys telling_keys(const Runs& runs, const Keys& keys) {
  Keys named, left;
  for (const std::string& key : keys) (is_shared(key) ? left : named).insert(key);
  if (left.size() <= kMostNamed) return keys;
  const std::size_t all = count_variants(runs, keys);
  while (count_variants(runs, named) < all) {
    std::string best;
    std::size_t most = 0;
    for (const std::string& key : left) {
      Keys tried = named;
      tried.insert(key);
      const std::size_t count = count_variants(runs, tried);
      if (count <= most) continue;
      most = count;
      best = key;
    }
    named.insert(best);
    left.erase(best);
  }
  return named;
}

}  // namespace

VaryingSettings::VaryingSettings(const Runs& runs, const std::vector<std::string>& families)
    : group_of_(runs.size()) {
  std::map<std::string, Runs> members;
  for (std::size_t i = 0; i < runs.size(); ++i) members[families[i]].push_back(runs[i]);
  std::map<const Run*, std::size_t> group_of;
  for (const auto& [name, family] : members) {
    for (Runs& kind : by_kind(family)) {
      for (const Run* run : kind) group_of[run] = groups_.size();
      Group group{std::move(kind), {}, {}};
      group.keys = varying_within_environments(group.runs);
      group.named = telling_keys(group.runs, group.keys);
      groups_.push_back(std::move(group));
    }
  }
  for (std::size_t i = 0; i < runs.size(); ++i) group_of_[i] = group_of.at(runs[i]);
}

const std::set<std::string>& VaryingSettings::keys(std::size_t run) const {
  return groups_[group_of_[run]].keys;
}

const std::set<std::string>& VaryingSettings::named(std::size_t run) const {
  return groups_[group_of_[run]].named;
}

}  // namespace tarl::study
