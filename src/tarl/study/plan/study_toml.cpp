// SPDX-License-Identifier: MIT
#include <functional>
#include <map>
#include <sstream>

#include "tarl/core/error.h"
#include "tarl/core/formats/toml.h"
#include "tarl/study/plan/study.h"

namespace tarl::study {

namespace {

constexpr std::size_t kLongestFolder = 255;  // NAME_MAX of every usual file system
constexpr std::size_t kShownLabel = 60;      // of a label in a message

// File and position, for messages.
struct Place {
  std::string source;

  std::string at(const toml::node& node) const {
    return source + ":" + std::to_string(node.source().begin.line) + ": ";
  }
};

std::string text_of(const toml::node& node, const std::string& key, const Place& place) {
  if (const auto* text = node.as_string()) return text->get();
  throw UsageError(place.at(node) + key + " must be text in quotes");
}

// A value as --set and --margin take it.
std::string value_text(const toml::node& node, const std::string& key, const Place& place) {
  if (const auto* text = node.as_string()) return text->get();
  if (!node.is_number() && !node.is_boolean() && !node.is_array()) {
    throw UsageError(place.at(node) + key + " must be a number, text, true, false or a list");
  }
  std::ostringstream out;
  node.visit([&out](const auto& value) { out << value; });
  return out.str();
}

std::vector<std::string> texts_of(const toml::node& node, const std::string& key,
                                  const Place& place) {
  const toml::array* list = node.as_array();
  if (list == nullptr) throw UsageError(place.at(node) + key + " must be a list of texts");
  std::vector<std::string> texts;
  for (const toml::node& item : *list) texts.push_back(text_of(item, key, place));
  return texts;
}

// Settings may be written with dots or as tables: both become "group.key".
void flatten(const toml::table& table, const std::string& prefix, const Place& place,
             std::map<std::string, std::string>& out) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      flatten(*inner, name + ".", place, out);
    } else {
      out[name] = value_text(node, name, place);
    }
  }
}

// Whether a run of any algorithm has such a setting, or a group with that name.
bool is_setting(const std::string& name) {
  for (const auto& [algo, env] :
       {std::pair{"dqn", "minatar/breakout"}, std::pair{"sac", "classic/pendulum"},
        std::pair{"td3", "classic/pendulum"}}) {
    train::RunConfig config = train::resolve({.algo = algo, .env = env});
    for (const Field& field : train::fields(config)) {
      if (field.name == name || field.name.starts_with(name + ".")) return true;
    }
  }
  return false;
}

// Calls the reader of every key of a table.
using Reader = std::function<void(const toml::node&)>;

void read_keys(const toml::table& table, const std::map<std::string, Reader>& readers,
               const Place& place, const std::string& where = "a study") {
  std::vector<std::string> known;
  known.reserve(readers.size());
  for (const auto& [key, reader] : readers) known.push_back(key);
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const auto reader = readers.find(name);
    if (reader == readers.end()) {
      throw UsageError(place.at(node) + where + " has no '" + name + "'" +
                       (is_setting(name)
                            ? "; settings go into set = { " + name + " = ... } of a condition"
                            : did_you_mean(name, known)));
    }
    reader->second(node);
  }
}

Condition read_condition(const toml::node& node, const Place& place) {
  const toml::table* table = node.as_table();
  if (table == nullptr) throw UsageError(place.at(node) + "write each condition as [[conditions]]");
  Condition condition;
  const auto text = [&place](std::string& value, const char* key) {
    return [&value, &place, key](const toml::node& n) { value = text_of(n, key, place); };
  };
  read_keys(
      *table,
      {{"label", text(condition.label, "label")},
       {"algo", text(condition.algo, "algo")},
       {"against", text(condition.against, "against")},
       {"margin", [&](const toml::node& n) { condition.margin = value_text(n, "margin", place); }},
       {"set",
        [&](const toml::node& n) {
          if (!n.is_table()) throw UsageError(place.at(n) + "set must be { key = value, ... }");
          flatten(*n.as_table(), "", place, condition.set);
        }}},
      place, "a condition");
  if (condition.set.contains("seed")) {
    throw UsageError(place.at(node) +
                     "set = { seed = ... } would give every run of a condition the " +
                     "same seed; seeds = N at the top gives them 0 to N-1");
  }
  if (condition.algo.empty()) throw UsageError(place.at(node) + "this condition names no algo");
  if (condition.label.empty()) condition.label = condition.algo;
  return condition;
}

void read_conditions(const toml::node& node, const Place& place, std::vector<Condition>& out) {
  if (!node.is_array()) throw UsageError(place.at(node) + "write each condition as [[conditions]]");
  for (const toml::node& item : *node.as_array()) out.push_back(read_condition(item, place));
}

// The problem with the folder name of a label; empty if there is none.
std::string why_no_folder(const std::string& folder) {
  if (folder.find_first_not_of('.') == std::string::npos) {
    return "has no letters or digits to name a folder by";
  }
  if (folder.front() == '.') return "would give the hidden folder " + folder.substr(0, kShownLabel);
  if (folder.size() > kLongestFolder) {
    return "would give a folder name of " + std::to_string(folder.size()) + " letters, at most " +
           std::to_string(kLongestFolder) + " are possible";
  }
  return "";
}

void check(Study& study, const Place& place) {
  const auto refuse = [&place](const std::string& why) {
    throw UsageError(place.source + ": " + why);
  };
  if (study.envs.empty()) refuse("a study needs envs = [\"family/name\", ...]");
  if (study.conditions.empty()) refuse("a study needs at least one [[conditions]]");
  check_size(study, place.source);
  std::map<std::string, std::string> folders;
  for (Condition& one : study.conditions) {
    const std::string folder = slug(one.label);
    if (const std::string why = why_no_folder(folder); !why.empty()) {
      refuse("label '" + one.label.substr(0, kShownLabel) + "' " + why + "; rename it");
    }
    const auto [other, is_new] = folders.emplace(folder, one.label);
    if (!is_new) {
      refuse("labels '" + other->second + "' and '" + one.label + "' share the folder " + folder +
             "; rename one");
    }
    if (one.against.empty() && one.label != study.reference) one.against = study.reference;
  }
  if (!study.reference.empty() && study.find(study.reference) == nullptr) {
    refuse("baseline '" + study.reference + "' is no condition's label");
  }
  for (const std::string& control : study.controls) {
    if (study.find(control) == nullptr) {
      refuse("control '" + control + "' is no condition's label");
    }
  }
  for (const Condition& one : study.conditions) {
    if (one.against == one.label) refuse("'" + one.label + "' is compared with itself");
    if (!one.against.empty() && study.find(one.against) == nullptr) {
      refuse("'" + one.label + "' is compared with '" + one.against + "', which is no condition");
    }
  }
}

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

// Bare if TOML allows it, otherwise in quotes.
std::string value_to_toml(const std::string& text) {
  if (text.find_first_of("#\n") != std::string::npos) return quoted(text);
  try {
    return parse_toml("value = " + text, "a setting").size() == 1 ? text : quoted(text);
  } catch (const UsageError&) {
    return quoted(text);
  }
}

std::string list_to_toml(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? ", " : "") + quoted(text);
  return out + "]";
}

}  // namespace

void check_size(const Study& study, const std::string& source) {
  if (study.seeds < 1 || study.seeds > kMostSeeds) {
    throw UsageError(source + ": seeds = " + std::to_string(study.seeds) + " is not from 1 to " +
                     std::to_string(kMostSeeds));
  }
  const auto each = static_cast<std::size_t>(study.seeds);
  const auto most = static_cast<std::size_t>(kMostRuns);
  const std::size_t envs = study.envs.size(), conditions = study.conditions.size();
  if (envs <= most && conditions <= most && envs * conditions * each <= most) return;
  throw UsageError(source + ": " + std::to_string(envs) + " environments, " +
                   std::to_string(conditions) + " conditions and " + std::to_string(each) +
                   " seeds are more than " + std::to_string(kMostRuns) +
                   " runs; make several studies of it");
}

Study parse_study(const std::string& toml, const std::string& name, const std::string& source) {
  const Place place{source};
  Study study;
  study.name = name;
  const auto text = [&place](std::string& value, const char* key) {
    return [&value, &place, key](const toml::node& n) { value = text_of(n, key, place); };
  };
  const auto texts = [&place](std::vector<std::string>& value, const char* key) {
    return [&value, &place, key](const toml::node& n) { value = texts_of(n, key, place); };
  };
  const auto seeds = [&](const toml::node& n) {
    if (!n.is_integer()) throw UsageError(place.at(n) + "seeds must be a whole number");
    study.seeds = n.as_integer()->get();
  };
  read_keys(
      parse_toml(toml, source),
      {{"name", text(study.name, "name")},
       {"title", text(study.title, "title")},
       {"question", text(study.question, "question")},
       {"covers", texts(study.covers, "covers")},
       {"preset", [&](const toml::node& n) { study.preset = text_of(n, "preset", place); }},
       {"seeds", seeds},
       {"steps", [&](const toml::node& n) { study.steps = value_text(n, "steps", place); }},
       {"baseline", text(study.reference, "baseline")},
       {"controls", texts(study.controls, "controls")},
       {"envs", texts(study.envs, "envs")},
       {"conditions", [&](const toml::node& n) { read_conditions(n, place, study.conditions); }}},
      place);
  check(study, place);
  return study;
}

std::string study_to_toml(const Study& study) {
  std::ostringstream out;
  out << "name = " << quoted(study.name) << "\ntitle = " << quoted(study.title)
      << "\nquestion = " << quoted(study.question) << "\ncovers = " << list_to_toml(study.covers)
      << "\n";
  if (study.preset) out << "preset = " << quoted(*study.preset) << "\n";
  out << "seeds = " << study.seeds << "\n";
  if (study.steps) out << "steps = " << value_to_toml(*study.steps) << "\n";
  out << "baseline = " << quoted(study.reference) << "\n";
  if (!study.controls.empty()) out << "controls = " << list_to_toml(study.controls) << "\n";
  out << "envs = " << list_to_toml(study.envs) << "\n";
  for (const Condition& one : study.conditions) {
    out << "\n[[conditions]]\nlabel = " << quoted(one.label) << "\nalgo = " << quoted(one.algo)
        << "\n";
    if (!one.against.empty()) out << "against = " << quoted(one.against) << "\n";
    if (one.margin) out << "margin = " << value_to_toml(*one.margin) << "\n";
    for (const auto& [key, value] : one.set) {
      out << "set." << key << " = " << value_to_toml(value) << "\n";
    }
  }
  return out.str();
}

}  // namespace tarl::study
