// SPDX-License-Identifier: MIT
#include <cstdio>
#include <map>
#include <thread>

#include "tarl/cli/json_output.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/build_config.h"
#include "tarl/core/machine.h"
#include "tarl/envs/registry.h"
#include "tarl/fleet/device.h"
#include "tarl/fleet/device_run.h"
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

std::map<std::string, int> environments_by_family() {
  std::map<std::string, int> families;
  for (const auto& [name, entry] : envs::registry().entries()) {
    ++families[name.substr(0, name.find('/'))];
  }
  return families;
}

// What of the fleet the card runs; nothing without a card.
void fleet_lines(const fleet::DeviceInfo& device) {
  if (!device.capability.major) return;
  for (const fleet::DeviceProgram& program : fleet::programs()) {
    const std::string reason = fleet::why_not_on(device.capability, program);
    line("fleet", reason.empty() ? std::string(program.name) + " runs on it" : reason);
  }
}

Json cuda_json(const fleet::DeviceInfo& device) {
  Json json = {{"built", device.built}, {"found", device.found}, {"text", device.text}};
  json["programs"] = Json::object();
  for (const fleet::DeviceProgram& program : fleet::programs()) {
    json["programs"][program.name] = {
        {"needs", program.cards.text()},
        {"runs", device.found && fleet::why_not_on(device.capability, program).empty()}};
  }
  return json;
}

Json doctor_json() {
  const fleet::DeviceInfo device = fleet::device_info();
  Json json = {{"version", kVersion},
               {"commit", kCommit},
               {"compiler", kCompiler},
               {"flags", kBuildFlags},
               {"cpu", cpu_model()},
               {"threads", std::thread::hardware_concurrency()},
               {"cpu_features", cpu_features()},
               {"kernels", nn::kernels().name},
               {"memory_bytes", memory_bytes()},
               {"libraries", envs::registry().libraries()},
               {"cuda", cuda_json(device)},
               {"environments", environments_by_family()},
               {"missing", Json::object()}};
  for (const auto& [prefix, family] : envs::registry().missing()) {
    json["missing"][std::string(prefix)] = family.remedy;
  }
  return json;
}

int run_doctor(const Args& args) {
  if (wants_json(args)) return print_json(doctor_json());
  line("tarl", std::string(kVersion) + " (" + kCommit + ")");
  line("built with", std::string(kCompiler) + ", " + kBuildFlags);
  line("CPU",
       cpu_model() + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads");
  line("features", cpu_features());
  line("kernels", kernels_text());
  line("memory", std::to_string(memory_bytes() >> 30) + " GiB");
  for (const auto& [library, version] : envs::registry().libraries())
    line(library.c_str(), version);
  const fleet::DeviceInfo device = fleet::device_info();
  line("CUDA", device.text);
  fleet_lines(device);
  for (const auto& [family, count] : environments_by_family()) {
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
          .usage = "[--json]",
          .options = {json_option()},
          .examples = {"tarl doctor"},
          .run = run_doctor};
}

}  // namespace tarl::cli
