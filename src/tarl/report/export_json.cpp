// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "tarl/report/export.h"

namespace tarl::report {

std::string results_json(const Scene& scene) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const study::Results& results = *scene.numbers().results;
  for (std::size_t env = 0; env < results.environments.size(); ++env) {
    const std::string& name = results.environments[env].name;
    const std::size_t slash = name.find('/');
    const std::string family = slash == std::string::npos ? "other" : name.substr(0, slash);
    const std::string task = slash == std::string::npos ? name : name.substr(slash + 1);
    for (const std::size_t a : scene.algorithms) {
      for (const std::size_t at : results.cell(env, a)) {
        const study::Run& run = results.runs[at];
        const std::string seed = "seed_" + std::to_string(run.seed);
        auto& out = json[family][task][results.algorithms[a].label][seed];
        for (std::size_t t = 0; t < run.returns.size(); ++t) {
          out["step_" + std::to_string(t)] = {{"step_count", run.timesteps[t]},
                                              {"return", run.returns[t]}};
        }
      }
    }
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tarl::report
