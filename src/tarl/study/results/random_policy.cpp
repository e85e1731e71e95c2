// SPDX-License-Identifier: MIT
#include "tarl/study/results/random_policy.h"

#include <cmath>
#include <vector>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/rl/random_action.h"
#include "tarl/study/results/random_scores.h"

namespace tarl::study {

namespace {

MeasuredRandomScore score_of(const std::vector<double>& scores) {
  const auto n = static_cast<double>(scores.size());
  double sum = 0, squares = 0;
  for (const double score : scores) sum += score;
  const double mean = sum / n;
  for (const double score : scores) squares += (score - mean) * (score - mean);
  const double error = scores.size() > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  return {mean, error, static_cast<std::int64_t>(scores.size())};
}

Json read_random_score_file(const fs::path& file) {
  if (!fs::exists(file)) return Json::object();
  try {
    Json json = parse_json(read_text(file));
    if (json.is_object()) return json;
  } catch (const Json::exception&) {
  }
  throw Error(file.string() + " is damaged; remove it and run again");
}

}  // namespace

std::optional<MeasuredRandomScore> measure_random_policy(const std::string& env,
                                                         const envs::EnvConfig& config,
                                                         const RandomPolicyLimits& limits,
                                                         const std::function<bool()>& stop) {
  const Rng root = seeded(0).fork("random policy");
  Rng actions = root.fork("actions");
  const auto world = envs::registry().make(env, root.fork("env"), config);
  const rl::EnvSpec& spec = world->spec();
  std::vector<std::byte> obs(spec.obs.bytes());
  std::vector<double> scores;
  std::int64_t steps = 0;
  while (static_cast<std::int64_t>(scores.size()) < limits.episodes &&
         (steps < limits.steps || scores.empty())) {
    world->reset(obs);
    double score = 0;
    for (std::int64_t length = 1;; ++length, ++steps) {
      if (stop && stop()) return std::nullopt;
      const rl::StepResult result = world->step(rl::random_action(spec.action, actions), obs);
      score += result.score;
      const bool cut = spec.eval_step_limit > 0 && length >= spec.eval_step_limit;
      if (result.score_episode_over || cut) break;
      if (result.done()) world->reset(obs);
    }
    scores.push_back(score);
  }
  return score_of(scores);
}

bool measure_random_scores(const fs::path& out, std::span<const PlannedRun> runs,
                           const std::function<bool()>& stop) {
  const fs::path file = out / kRandomScoresFile;
  Json json = read_random_score_file(file);
  for (const PlannedRun& run : runs) {
    if (json.contains(run.env)) continue;
    const auto score = measure_random_policy(run.env, run.config.env_config, {}, stop);
    if (!score) return false;
    json[run.env] = {
        {"mean", score->mean}, {"se", score->standard_error}, {"episodes", score->episodes}};
    write_file_durably(file, json_page(json));
  }
  return true;
}

}  // namespace tarl::study
