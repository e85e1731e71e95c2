// SPDX-License-Identifier: MIT
#include <cstdio>
#include <thread>

#include "tarl/cli/verbs.h"
#include "tarl/core/build_config.h"
#include "tarl/core/machine.h"
#include "tarl/envs/registry.h"
#include "tarl/fleet/device.h"
#include "tarl/nn/instruction_set.h"

namespace tarl::cli {

namespace {

void line(const char* what, const std::string& value) {
  std::printf("%-14s %s\n", what, value.c_str());
}

std::string kernels_text() {
  std::string others;
  for (const std::string& name : nn::instruction_sets()) others += " " + name;
  return std::string(nn::kernels().name) + " in use; this machine runs" + others;
}

int run_doctor(const Args&) {
  line("tarl", std::string(kVersion) + " (" + kCommit + ")");
  line("built with", std::string(kCompiler) + ", " + kBuildFlags);
  line("CPU",
       cpu_model() + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads");
  line("features", cpu_features());
  line("kernels", kernels_text());
  line("memory", std::to_string(memory_bytes() >> 30) + " GiB");
  for (const auto& [library, version] : envs::registry().libraries())
    line(library.c_str(), version);
  line("CUDA", fleet::device_info().text);
  std::map<std::string, int> families;
  for (const auto& [name, entry] : envs::registry().entries()) {
    ++families[name.substr(0, name.find('/'))];
  }
  for (const auto& [family, count] : families) {
    line("environments", family + ": " + std::to_string(count));
  }
  for (const auto& [prefix, family] : envs::registry().missing())
    line("missing", std::string(prefix).append(" ").append(family.remedy));
  return kExitGood;
}

}  // namespace

Verb doctor_verb() {
  return {.name = "doctor",
          .summary = "say what is built in, found and missing on this machine",
          .usage = "",
          .options = {},
          .examples = {"tarl doctor"},
          .run = run_doctor};
}

}  // namespace tarl::cli
