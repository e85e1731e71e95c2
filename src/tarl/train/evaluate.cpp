// SPDX-License-Identifier: MIT
#include "tarl/train/evaluate.h"

#include <cstring>
#include <memory>
#include <string>

namespace tarl::train {

namespace {

struct Episode {
  std::unique_ptr<rl::Environment> env;
  std::vector<std::byte> obs;
  Rng stream;
  double score = 0;
  std::int64_t length = 0;
  bool over = false;
  bool cut = false;
};

std::vector<Episode> start_episodes(const EvaluationRequest& request) {
  std::vector<Episode> episodes(static_cast<std::size_t>(request.episodes));
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const std::string name = std::to_string(i);
    Episode& episode = episodes[i];
    episode.env = request.make(request.stream.fork("env/" + name));
    episode.stream = request.stream.fork("act/" + name);
    episode.obs.resize(episode.env->spec().obs.bytes());
    episode.env->reset(episode.obs);
  }
  return episodes;
}

void advance(Episode& episode, const rl::Action& action) {
  const rl::StepResult result = episode.env->step(action, episode.obs);
  episode.score += result.score;
  ++episode.length;
  const std::int64_t limit = episode.env->spec().eval_step_limit;
  episode.cut = !result.score_episode_over && limit > 0 && episode.length >= limit;
  episode.over = result.score_episode_over || episode.cut;
  // A lost life ends the agent's episode, not the game.
  if (result.done() && !episode.over) episode.env->reset(episode.obs);
}

}  // namespace

std::optional<EvaluationScores> evaluate_policy(const EvaluationRequest& request) {
  std::vector<Episode> episodes = start_episodes(request);
  const std::size_t bytes = episodes.front().obs.size();
  std::vector<std::byte> obs(bytes * episodes.size());
  std::vector<Rng> streams(episodes.size());
  std::vector<rl::Action> actions(episodes.size());
  std::vector<Episode*> playing;
  while (true) {
    playing.clear();
    for (Episode& episode : episodes) {
      if (!episode.over) playing.push_back(&episode);
    }
    if (playing.empty()) break;
    if (request.stop && request.stop()) return std::nullopt;
    for (std::size_t i = 0; i < playing.size(); ++i) {
      std::memcpy(obs.data() + i * bytes, playing[i]->obs.data(), bytes);
      streams[i] = playing[i]->stream;
    }
    const std::size_t n = playing.size();
    request.agent.act(std::span(obs).first(n * bytes), static_cast<int>(n),
                      {.explore = false, .epsilon = request.epsilon}, std::span(streams).first(n),
                      std::span(actions).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      playing[i]->stream = streams[i];
      advance(*playing[i], actions[i]);
    }
  }
  EvaluationScores scores;
  for (const Episode& episode : episodes) {
    scores.returns.push_back(episode.score);
    scores.lengths.push_back(episode.length);
    scores.cut += episode.cut ? 1 : 0;
  }
  return scores;
}

}  // namespace tarl::train
