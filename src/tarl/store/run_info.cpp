// SPDX-License-Identifier: MIT
#include "tarl/store/run_info.h"

#include <ctime>

#include "tarl/core/build_config.h"
#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/machine.h"

namespace tarl::store {

namespace {

// One table for both directions: every field of the struct by its own name.
template <class Info, class Visit>
void visit_fields(Info& info, Visit&& visit) {
  visit("version", info.version);
  visit("commit", info.commit);
  visit("compiler", info.compiler);
  visit("flags", info.flags);
  visit("cpu", info.cpu);
  visit("cpu_features", info.cpu_features);
  visit("seed", info.seed);
  visit("steps", info.steps);
  visit("command", info.command);
  visit("reproduce", info.reproduce);
  visit("host", info.host);
  visit("program", info.program);
  visit("plugins", info.plugins);
  visit("libraries", info.libraries);
  visit("started", info.started);
  visit("updated", info.updated);
  visit("training_seconds", info.training_seconds);
  visit("resumes", info.resumes);
  visit("exact", info.exact);
  visit("checkpoints", info.checkpoints);
  visit("longest_checkpoint_seconds", info.longest_checkpoint_seconds);
  visit("status", info.status);
  visit("error", info.error);
}

// Text, numbers and lists are JSON's own; a status is its name.
template <class T>
Json to_json_value(const T& value) {
  return value;
}

Json to_json_value(RunStatus status) {
  return name_of(status);
}

template <class T>
void read_json_value(const Json& json, T& value) {
  json.get_to(value);
}

void read_json_value(const Json& json, RunStatus& status) {
  const auto name = json.get<std::string>();
  const auto found = find_value<RunStatus>(kRunStatusNames, name);
  if (!found) throw Error("status = " + name + " is unknown");
  status = *found;
}

}  // namespace

RunInfo describe_build() {
  RunInfo info;
  info.version = kVersion;
  info.commit = kCommit;
  info.compiler = kCompiler;
  info.flags = kBuildFlags;
  info.cpu = cpu_model();
  info.cpu_features = cpu_features();
  info.host = host_name();
  return info;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

void save_run_info(const fs::path& path, const RunInfo& info) {
  Json json;
  visit_fields(info,
               [&json](const char* name, const auto& value) { json[name] = to_json_value(value); });
  // A command line may hold any bytes; JSON may not.
  write_file_durably(path, json_page(json));
}

std::optional<RunInfo> load_run_info(const fs::path& path) {
  std::error_code unknown;
  if (!fs::exists(path, unknown)) return std::nullopt;
  const std::string text = read_text(path);
  try {
    const Json json = parse_json(text);
    json.at("version");  // every file has one
    RunInfo info;
    visit_fields(info, [&json](const char* name, auto& value) {
      if (json.contains(name)) read_json_value(json.at(name), value);  // older files have fewer
    });
    return info;
  } catch (const std::exception& problem) {
    throw Error(path.string() + ": not a good run.json: " + problem.what());
  }
}

}  // namespace tarl::store
