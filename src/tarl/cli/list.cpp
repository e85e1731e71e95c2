// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tarl/cli/list_envs.h"
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

void list_studies() {
  for (const study::Study& study : study::studies()) {
    std::printf("%-26s %s\n", study.name.c_str(), study.title.c_str());
  }
}

int run_list(const Args& args) {
  const std::vector<std::string>& words = args.positional();
  const std::string& what = words.front();
  if (words.size() > 1 && what != "envs") {
    throw UsageError("tarl list " + what + " takes no filter; only tarl list envs does");
  }
  if (what == "envs") {
    std::fputs(env_table(envs::registry(), words.size() > 1 ? words[1] : "").c_str(), stdout);
  } else if (what == "algos") {
    list_algos();
  } else if (what == "agents") {
    list_agents();
  } else if (what == "plugins") {
    list_plugins();
  } else if (what == "presets") {
    list_presets();
  } else if (what == "studies") {
    list_studies();
  } else {
    throw UsageError("tarl list " + what +
                     ": list what? envs, algos, agents, presets, studies or plugins");
  }
  return kExitGood;
}

}  // namespace

Verb list_verb() {
  return {
      .name = "list",
      .summary = "show what there is: environments, algorithms, agents, presets, studies, plugins",
      .usage = "envs [FILTER]|algos|agents|presets|studies|plugins",
      .options = {},
      .examples = {"tarl list envs", "tarl list envs hopper", "tarl list presets"},
      .min_positional = 1,
      .max_positional = 2,
      .run = run_list};
}

}  // namespace tarl::cli
