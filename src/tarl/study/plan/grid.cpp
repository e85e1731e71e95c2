// SPDX-License-Identifier: MIT
#include "tarl/study/plan/grid.h"

#include <algorithm>

#include "tarl/core/error.h"

namespace tarl::study {

namespace {

std::vector<std::string> proper_names(const std::vector<std::string>& envs) {
  std::vector<std::string> names;
  for (const std::string& env : envs) {
    const std::string name = envs::registry().find(env).name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

void set_everywhere(Study& study, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw UsageError("--set " + assignment + ": write it as key=value");
  }
  const std::string key = assignment.substr(0, equals), value = assignment.substr(equals + 1);
  if (key == "seed" || key == "seeds" || key == "steps") {
    throw UsageError("--set " + key + ": use --" + (key == "steps" ? key : "seeds") + " instead");
  }
  for (Condition& condition : study.conditions) {
    condition.set[key] = value;
    if (key == "align.margin") condition.margin.reset();
  }
}

}  // namespace

std::string PlannedRun::name() const {
  return env + " " + label + " seed " + std::to_string(seed);
}

fs::path run_folder(const std::string& env, const Condition& condition, std::int64_t seed) {
  return fs::path(env) / slug(condition.label) / ("seed" + std::to_string(seed));
}

Study study_of(const std::string& name, const std::vector<std::string>& algos,
               const std::vector<std::string>& envs, const std::optional<std::string>& preset) {
  Study study;
  study.name = name;
  study.preset = preset;
  study.envs = envs;
  for (const std::string& algo : algos) {
    study.conditions.push_back({.label = algo, .algo = algo});
    const train::NameParts parts = train::name_parts(algo);
    if (!parts.aligned) continue;
    for (const std::string& other : algos) {
      const train::NameParts plain = train::name_parts(other);
      if (!plain.aligned && plain.base == parts.base && plain.replay == parts.replay) {
        study.conditions.back().against = other;
      }
    }
  }
  return parse_study(study_to_toml(study), name, name);  // with its checks
}

Study apply_request(Study study, const StudyRequest& request) {
  if (request.seeds) study.seeds = *request.seeds;
  if (request.steps) study.steps = request.steps;
  // The requested ones first: a study may name environments that this build does not have.
  study.envs = proper_names(request.envs.empty() ? study.envs : request.envs);
  check_size(study, study.name);
  for (const std::string& assignment : request.set) set_everywhere(study, assignment);
  return study;
}

std::vector<PlannedRun> plan(const Study& study, const fs::path& out) {
  std::vector<PlannedRun> runs;
  for (std::int64_t seed = 0; seed < study.seeds; ++seed) {
    for (const std::string& env : study.envs) {
      for (const Condition& condition : study.conditions) {
        runs.push_back({env, condition.label, seed, out / run_folder(env, condition, seed),
                        resolve_run(study, condition, env, seed)});
      }
    }
  }
  return runs;
}

}  // namespace tarl::study
