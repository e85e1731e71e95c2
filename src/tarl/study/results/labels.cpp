// SPDX-License-Identifier: MIT
#include "tarl/study/results/labels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "tarl/study/results/guess_conditions.h"
#include "tarl/train/algorithm.h"

namespace tarl::study {

namespace {

// One run on its way to a label.
struct Entry {
  const Run* run = nullptr;
  std::optional<std::size_t> condition;  // position in the study of its source
  Algorithm algorithm;
};

using Entries = std::vector<Entry>;
using Group = std::vector<Entry*>;

// The settings by which a study's condition differs from the program's presets.
void add_study_settings(const Condition& condition, const Run& run, Algorithm& algorithm) {
  for (const auto& [key, value] : condition.set) {
    if (is_no_variant(key)) continue;
    const bool of_alignment = key.starts_with("align.");
    if (of_alignment && !algorithm.aligned()) continue;
    std::string& list = of_alignment ? algorithm.align_variant : algorithm.variant;
    if (!list.empty()) list += ", ";
    list.append(key).append("=").append(run.setting(key, value));
  }
}

// The batch size of a condition's runs in an environment; nothing if it has none.
std::optional<double> batch_size(const Entries& entries, std::size_t source,
                                 const std::string& condition, const std::string& env) {
  for (const Entry& entry : entries) {
    if (entry.condition && entry.run->source == source && entry.run->env == env &&
        entry.algorithm.condition == condition) {
      return entry.run->number("batch_size", NAN);
    }
  }
  return std::nullopt;
}

void take_study_conditions(Entries& entries, const std::vector<Source>& sources) {
  for (Entry& entry : entries) {
    if (!entry.condition) continue;
    const Condition& told = sources[entry.run->source].study->conditions[*entry.condition];
    entry.algorithm = identity(*entry.run);
    entry.algorithm.condition = told.label;
    add_study_settings(told, *entry.run, entry.algorithm);
  }
  for (Entry& entry : entries) {
    if (!entry.condition) continue;
    const Condition& told = sources[entry.run->source].study->conditions[*entry.condition];
    const auto reference = batch_size(entries, entry.run->source, told.against, entry.run->env);
    const double ratio = entry.run->number("batch_size", NAN) / reference.value_or(NAN);
    if (std::isfinite(ratio)) entry.algorithm.batch_ratio = ratio;
  }
}

void guess_the_rest(Entries& entries) {
  std::vector<const Run*> loose;
  for (const Entry& entry : entries) {
    if (!entry.condition) loose.push_back(entry.run);
  }
  std::vector<Algorithm> guessed = guess_conditions(loose);
  auto next = guessed.begin();
  for (Entry& entry : entries) {
    if (!entry.condition) entry.algorithm = std::move(*next++);
  }
}

// A label for a single condition is its name; a label for several follows their names.
void set_tags(Entries& entries, const std::vector<Source>& sources) {
  std::map<std::string, std::set<std::string>> conditions;  // by tag
  for (Entry& entry : entries) {
    const std::string& given = sources[entry.run->source].label;
    entry.algorithm.tag = given.empty() ? entry.run->label : given;
    conditions[entry.algorithm.tag].insert(entry.algorithm.condition);
  }
  for (Entry& entry : entries) {
    Algorithm& mine = entry.algorithm;
    mine.label = mine.tag.empty()                      ? mine.condition
                 : conditions.at(mine.tag).size() == 1 ? mine.tag
                                                       : mine.condition + " (" + mine.tag + ")";
  }
}

bool share_a_seed(const Group& group) {
  std::set<std::pair<std::string, std::int64_t>> seen;
  return std::any_of(group.begin(), group.end(), [&](const Entry* entry) {
    const Run& run = *entry->run;
    const bool counts = !run.timesteps.empty() && run.status != store::RunStatus::kFailed;
    return counts && !seen.emplace(run.env, run.seed).second;
  });
}

// Whether settings that can change a curve differ within an environment.
bool differ_in_settings(const Group& group) {
  std::map<std::string, const Settings*> first;
  for (const Entry* entry : group) {
    const Settings& mine = entry->run->config;
    const Settings& other = *first.emplace(entry->run->env, &mine).first->second;
    for (const auto& [key, value] : mine) {
      const auto found = other.find(key);
      const bool names_the_run = key == "seed" || key == "algo";
      const bool differs = found != other.end() && found->second != value && !names_the_run;
      if (differs && (!is_no_variant(key) || key == "batch_size" || key == "align.margin")) {
        return true;
      }
    }
  }
  return false;
}

void add_tag(Algorithm& algorithm, const std::string& tag) {
  algorithm.tag = algorithm.tag.empty() ? tag : algorithm.tag + ", " + tag;
  algorithm.label += " (" + tag + ")";
}

std::map<std::string, Group> groups_by_label(Entries& entries) {
  std::map<std::string, Group> groups;
  for (Entry& entry : entries) groups[entry.algorithm.label].push_back(&entry);
  return groups;
}

// The same name in several sources is one condition only if nothing contradicts it.
void tell_sources_apart(Entries& entries, const std::vector<Source>& sources) {
  if (sources.size() < 2) return;
  for (const auto& [label, group] : groups_by_label(entries)) {
    const std::size_t first = group.front()->run->source;
    const bool several = std::any_of(group.begin(), group.end(), [&](const Entry* entry) {
      return entry->run->source != first;
    });
    if (!several || !(share_a_seed(group) || differ_in_settings(group))) continue;
    for (Entry* entry : group) add_tag(entry->algorithm, sources[entry->run->source].name);
  }
}

std::string folder_part(const Run& run, std::size_t at) {
  auto part = run.folder.begin();
  for (; part != run.folder.end() && at > 0; ++part) --at;
  return part == run.folder.end() ? "" : part->string();
}

std::map<std::string, Group> split_by_part(const Group& group, std::size_t at) {
  std::map<std::string, Group> parts;
  for (Entry* entry : group) parts[folder_part(*entry->run, at)].push_back(entry);
  return parts;
}

// The split into the fewest groups without duplicate seeds that leaves some runs together.
std::map<std::string, Group> best_split(const Group& group) {
  constexpr std::size_t kDeepest = 16;
  std::map<std::string, Group> best;
  for (std::size_t at = 0; at < kDeepest; ++at) {
    std::map<std::string, Group> parts = split_by_part(group, at);
    const bool clean = std::none_of(parts.begin(), parts.end(),
                                    [](const auto& part) { return share_a_seed(part.second); });
    const bool useful = parts.size() < group.size() || group.size() == 2;
    if (clean && useful && (best.empty() || parts.size() < best.size())) best = std::move(parts);
  }
  return best;
}

// Every run that repeats an environment and seed gets its own name.
void name_repeats(const Group& group) {
  std::set<std::pair<std::string, std::int64_t>> seen;
  for (Entry* entry : group) {
    if (seen.emplace(entry->run->env, entry->run->seed).second) continue;
    add_tag(entry->algorithm, entry->run->folder.string());
  }
}

void tell_folders_apart(Entries& entries, std::vector<std::string>& remarks) {
  for (const auto& [label, group] : groups_by_label(entries)) {
    if (!share_a_seed(group)) continue;
    const std::map<std::string, Group> parts = best_split(group);
    for (const auto& [part, members] : parts) {
      for (Entry* entry : members) add_tag(entry->algorithm, part);
    }
    if (parts.empty()) name_repeats(group);
    remarks.push_back(label +
                      ": some of its runs share environment, settings and seed; each folder with "
                      "such runs is shown on its own (--label gives names)");
  }
}

bool comes_before(const Entry& first, const Entry& second) {
  const auto key = [](const Entry& entry) {
    const Algorithm& x = entry.algorithm;
    const auto mode = x.mode ? static_cast<int>(*x.mode) : -1;
    return std::make_tuple(train::rank_of_base(x.base), x.base, x.replay, x.aligned(),
                           Ordered{x.batch_ratio}, x.aligned() && !x.filters(), mode,
                           Ordered{x.margin}, entry.run->source, x.condition, x.label);
  };
  return key(first) < key(second);
}

// One entry per algorithm, in the order of the tables.
Entries algorithms_of(const Entries& entries, bool in_the_studys_order) {
  std::map<std::string, Entry> first;
  for (const Entry& entry : entries) first.emplace(entry.algorithm.label, entry);
  Entries all;
  for (auto& [label, entry] : first) all.push_back(std::move(entry));
  if (in_the_studys_order) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Entry& a, const Entry& b) { return a.condition < b.condition; });
  } else {
    std::sort(all.begin(), all.end(), comes_before);
  }
  return all;
}

}  // namespace

std::string replay_title(replay::Kind kind) {
  if (kind == replay::Kind::kPer) return "PER";
  return kind == replay::Kind::kReaper ? "ReaPER" : replay::name_of(kind);
}

Labelled label_runs(const std::vector<Run>& runs, const std::vector<Source>& sources) {
  Entries entries;
  for (const Run& run : runs) {
    entries.push_back({&run, sources[run.source].condition_of(run.below_source), {}});
  }
  take_study_conditions(entries, sources);
  guess_the_rest(entries);
  set_tags(entries, sources);
  tell_sources_apart(entries, sources);
  Labelled out;
  tell_folders_apart(entries, out.remarks);
  const bool one_study = sources.size() == 1 && !entries.empty() &&
                         std::all_of(entries.begin(), entries.end(),
                                     [](const Entry& entry) { return entry.condition; });
  std::vector<std::optional<std::size_t>> source_of_study;
  std::map<std::string, std::size_t> positions;
  for (Entry& entry : algorithms_of(entries, one_study)) {
    positions.emplace(entry.algorithm.label, positions.size());
    source_of_study.push_back(entry.condition ? std::optional(entry.run->source) : std::nullopt);
    out.algorithms.push_back(std::move(entry.algorithm));
  }
  for (const Entry& entry : entries) out.of_run.push_back(positions.at(entry.algorithm.label));
  link_algorithms(out.algorithms, sources, source_of_study);
  return out;
}

}  // namespace tarl::study
