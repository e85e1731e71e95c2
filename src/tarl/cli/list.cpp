// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tarl/align/score_registry.h"
#include "tarl/cli/json_output.h"
#include "tarl/cli/list_envs.h"
#include "tarl/cli/study_json.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/study/plan/study.h"
#include "tarl/train/algorithm.h"
#include "tarl/train/plugin.h"
#include "tarl/train/presets.h"

namespace tarl::cli {

namespace {

void list_algos() {
  std::printf("%s\n",
              "ta- draws m+b transitions and learns from the m best aligned; +per and +reaper "
              "choose the replay.\n");
  for (const std::string& name : train::algorithm_names()) std::printf("%s\n", name.c_str());
}

void list_agents() {
  for (const agents::Entry& agent : agents::registry().entries()) {
    std::printf("%-16s %-11s %s\n", agent.name.c_str(),
                agent.actions == agents::Actions::kDiscrete ? "discrete" : "continuous",
                agent.title.c_str());
  }
}

void list_plugins() {
  if (train::loaded_plugins().empty()) std::puts("none; load one with --plugin FILE.so");
  for (const train::LoadedPlugin& plugin : train::loaded_plugins()) {
    std::printf("%-16s %-11s %s\n", plugin.name.c_str(), plugin.version.c_str(),
                plugin.path.c_str());
  }
}

void list_presets() {
  for (const train::Preset& preset : train::presets()) {
    std::printf("%-26s %s\n", preset.name.c_str(), preset.title.c_str());
  }
}

void list_scores() {
  for (const align::ScoreEntry& score : align::score_registry().entries()) {
    std::printf("%-26s %s\n", score.name.c_str(), score.help.c_str());
  }
}

void list_studies() {
  for (const study::Study& study : study::studies()) {
    std::printf("%-26s %s\n", study.name.c_str(), study.title.c_str());
  }
}

Json algos_json() {
  return train::algorithm_names();
}

Json presets_json() {
  Json json = Json::array();
  for (const train::Preset& preset : train::presets()) {
    json.push_back({{"name", preset.name}, {"title", preset.title}});
  }
  return json;
}

Json studies_json() {
  Json json = Json::array();
  for (const study::Study& study : study::studies()) json.push_back(study_json(study));
  return json;
}

Json agents_json() {
  Json json = Json::array();
  for (const agents::Entry& agent : agents::registry().entries()) {
    json.push_back({{"name", agent.name},
                    {"discrete", agent.actions == agents::Actions::kDiscrete},
                    {"title", agent.title}});
  }
  return json;
}

Json scores_json() {
  Json json = Json::array();
  for (const align::ScoreEntry& score : align::score_registry().entries()) {
    json.push_back({{"name", score.name}, {"help", score.help}});
  }
  return json;
}

Json plugins_json() {
  Json json = Json::array();
  for (const train::LoadedPlugin& plugin : train::loaded_plugins()) {
    json.push_back(
        {{"name", plugin.name}, {"version", plugin.version}, {"path", plugin.path.string()}});
  }
  return json;
}

struct Listing {
  const char* what;
  void (*show)();
  Json (*json)();
};

// All but the environments, which take a filter.
constexpr Listing kListings[] = {
    {"algos", list_algos, algos_json},       {"agents", list_agents, agents_json},
    {"scores", list_scores, scores_json},    {"presets", list_presets, presets_json},
    {"studies", list_studies, studies_json}, {"plugins", list_plugins, plugins_json}};

// Their names, each after `between`.
std::string listings(const char* between) {
  std::string out;
  for (const Listing& listing : kListings) out.append(between).append(listing.what);
  return out;
}

int run_list(const Args& args) {
  const std::vector<std::string>& words = args.positional();
  const std::string& what = words.front();
  if (what == "envs") {
    const std::string filter = words.size() > 1 ? words[1] : "";
    if (wants_json(args)) return print_json(env_json(envs::registry(), filter));
    std::fputs(env_table(envs::registry(), filter).c_str(), stdout);
    return kExitGood;
  }
  if (words.size() > 1) {
    throw UsageError("tarl list " + what + " takes no filter; only tarl list envs does");
  }
  for (const Listing& listing : kListings) {
    if (what != listing.what) continue;
    if (wants_json(args)) return print_json(listing.json());
    listing.show();
    return kExitGood;
  }
  throw UsageError("tarl list " + what + ": list what? envs" + listings(", "));
}

}  // namespace

Verb list_verb() {
  return {.name = "list",
          .summary = "show what there is: environments, algorithms, scores, presets, studies, ...",
          .usage = "envs [FILTER]" + listings("|") + " [--json]",
          .options = {json_option()},
          .examples = {"tarl list envs", "tarl list envs hopper", "tarl list presets"},
          .min_positional = 1,
          .max_positional = 2,
          .run = run_list};
}

}  // namespace tarl::cli
