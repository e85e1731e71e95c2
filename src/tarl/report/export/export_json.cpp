// SPDX-License-Identifier: MIT

#include "tarl/core/formats/json.h"
#include "tarl/report/export/export.h"

namespace tarl::report {

namespace {

// Adds a new key. Unlike [], does not search the existing ones first.
void append(Json& object, std::string key, Json value) {
  object.get_ref<Json::object_t&>().emplace_back(std::move(key), std::move(value));
}

Json run_json(const study::Run& run) {
  Json out = Json::object();
  for (std::size_t t = 0; t < run.returns.size(); ++t) {
    append(out, "step_" + std::to_string(t),
           {{"step_count", run.timesteps[t]}, {"return", run.returns[t]}});
  }
  return out;
}

}  // namespace

std::string results_json(const Scene& scene) {
  Json json = Json::object();
  const study::Results& results = *scene.numbers().results;
  for (std::size_t env = 0; env < results.environments.size(); ++env) {
    const std::string& name = results.environments[env].name;
    const std::size_t slash = name.find('/');
    const std::string family = slash == std::string::npos ? "other" : name.substr(0, slash);
    Json& task = json[family][slash == std::string::npos ? name : name.substr(slash + 1)];
    for (const std::size_t a : scene.algorithms) {
      if (results.cell(env, a).empty()) continue;
      Json& seeds = task[results.algorithms[a].label];
      if (seeds.is_null()) seeds = Json::object();
      for (const std::size_t at : results.cell(env, a)) {
        const study::Run& run = results.runs[at];
        append(seeds, "seed_" + std::to_string(run.seed), run_json(run));
      }
    }
  }
  return json_line(json) + "\n";
}

}  // namespace tarl::report
