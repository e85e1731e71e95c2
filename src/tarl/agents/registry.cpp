// SPDX-License-Identifier: MIT
#include "tarl/agents/registry.h"

#include <algorithm>

namespace tarl::agents {

namespace {

Registry built_in() {
  Registry registry;
  add_dqn(registry);
  add_sac(registry);
  add_td3(registry);
  return registry;
}

// The remaining characters may appear in algorithm names, folders and command lines.
bool is_name(std::string_view name) {
  return !name.empty() && !name.starts_with("ta-") && !name.starts_with('-') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

}  // namespace

void Registry::add(Entry entry) {
  if (!is_name(entry.name)) {
    throw UsageError("an agent cannot be called '" + entry.name +
                     "': use a-z, 0-9, '-' and '_', and no ta- in front");
  }
  require(entry.settings && entry.bytes && entry.make, "an agent's entry has its functions");
  const auto known = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& one) { return one.name == entry.name; });
  if (known != entries_.end()) {
    *known = std::move(entry);
  } else {
    entries_.push_back(std::move(entry));
  }
}

const Entry* Registry::look_up(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

const Entry& Registry::find(std::string_view name) const {
  if (const Entry* entry = look_up(name)) return *entry;
  throw UsageError("no agent is called '" + std::string(name) + "'" + did_you_mean(name, names()) +
                   " (tarl list agents shows all; --plugin adds others)");
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

std::vector<std::string> Registry::names(Actions actions) const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    if (entry.actions == actions) names.push_back(entry.name);
  }
  return names;
}

Registry& registry() {
  static Registry instance = built_in();
  return instance;
}

}  // namespace tarl::agents
