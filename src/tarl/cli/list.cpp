// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include "tarl/cli/json_output.h"
#include "tarl/cli/list_envs.h"
#include "tarl/cli/study_json.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/study/plan/study.h"
#include "tarl/train/algorithm.h"
#include "tarl/train/presets.h"

namespace tarl::cli {

namespace {

void list_algos() {
  std::printf("%s\n",
              "ta- draws m+b transitions and learns from the m best aligned; +per and +reaper "
              "choose the replay.\n");
  for (const std::string& name : train::algorithm_names()) std::printf("%s\n", name.c_str());
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

Json list_json(const std::string& what, const std::string& filter) {
  if (what == "envs") return env_json(envs::registry(), filter);
  Json json = Json::array();
  if (what == "algos") json = train::algorithm_names();
  if (what == "presets") {
    for (const train::Preset& preset : train::presets()) {
      json.push_back({{"name", preset.name}, {"title", preset.title}});
    }
  }
  if (what == "studies") {
    for (const study::Study& study : study::studies()) json.push_back(study_json(study));
  }
  return json;
}

void print_list(const std::string& what, const std::string& filter) {
  if (what == "envs") std::fputs(env_table(envs::registry(), filter).c_str(), stdout);
  if (what == "algos") list_algos();
  if (what == "presets") list_presets();
  if (what == "studies") list_studies();
}

int run_list(const Args& args) {
  const std::vector<std::string>& words = args.positional();
  const std::string& what = words.front();
  if (words.size() > 1 && what != "envs") {
    throw UsageError("tarl list " + what + " takes no filter; only tarl list envs does");
  }
  const std::vector<std::string> known = {"envs", "algos", "presets", "studies"};
  if (std::ranges::find(known, what) == known.end()) {
    throw UsageError("tarl list " + what + ": list what? envs, algos, presets or studies");
  }
  const std::string filter = words.size() > 1 ? words[1] : "";
  if (wants_json(args)) return print_json(list_json(what, filter));
  print_list(what, filter);
  return kExitGood;
}

}  // namespace

Verb list_verb() {
  return {.name = "list",
          .summary = "show what there is: environments, algorithms, presets, studies",
          .usage = "envs [FILTER]|algos|presets|studies [--json]",
          .options = {json_option()},
          .examples = {"tarl list envs", "tarl list envs hopper", "tarl list presets"},
          .min_positional = 1,
          .max_positional = 2,
          .run = run_list};
}

}  // namespace tarl::cli
