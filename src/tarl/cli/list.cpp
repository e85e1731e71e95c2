// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/envs/registry.h"
#include "tarl/study/plan/study.h"
#include "tarl/train/algorithm.h"
#include "tarl/train/presets.h"

namespace tarl::cli {

namespace {

void list_envs() {
  for (const auto& [name, entry] : envs::registry().entries()) {
    std::printf("%-34s %s\n", name.c_str(), entry.title.c_str());
  }
  for (const auto& [prefix, remedy] : envs::registry().missing()) {
    std::printf("%-34s (%s)\n", (prefix + "...").c_str(), remedy.c_str());
  }
}

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

int run_list(const Args& args) {
  const std::string& what = args.positional().front();
  if (what == "envs") {
    list_envs();
  } else if (what == "algos") {
    list_algos();
  } else if (what == "presets") {
    list_presets();
  } else if (what == "studies") {
    list_studies();
  } else {
    throw UsageError("tarl list " + what + ": list what? envs, algos, presets or studies");
  }
  return kExitGood;
}

}  // namespace

Verb list_verb() {
  return {.name = "list",
          .summary = "show what there is: environments, algorithms, presets, studies",
          .usage = "envs|algos|presets|studies",
          .options = {},
          .examples = {"tarl list envs", "tarl list presets"},
          .min_positional = 1,
          .max_positional = 1,
          .run = run_list};
}

}  // namespace tarl::cli
