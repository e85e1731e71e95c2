// SPDX-License-Identifier: MIT
#include "tarl/train/evaluate.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tarl::train {

Evaluation::Evaluation(const rl::MakeEnvironment& make, int episodes, const Rng& stream)
    : Evaluation(make, evaluation_streams(stream, episodes)) {}

Evaluation::Evaluation(const rl::MakeEnvironment& make, std::span<const SlotStreams> streams)
    : episodes_(streams.size()),
      playing_(episodes_.size()),
      streams_(episodes_.size()),
      actions_(episodes_.size()) {
  for (std::size_t i = 0; i < episodes_.size(); ++i) {
    Episode& episode = episodes_[i];
    episode.env = make(streams[i].env);
    episode.stream = streams[i].act;
    episode.obs.resize(episode.env->spec().obs.bytes());
    episode.env->reset(episode.obs);
  }
  std::iota(playing_.begin(), playing_.end(), 0);
  obs_.resize(episodes_.size() * episodes_.front().obs.size());
}

void Evaluation::choose_actions(rl::Agent& agent, double epsilon, bool explore) {
  const WantedActions wanted = wanted_actions();
  agent.act(wanted.obs, wanted.n, {.explore = explore, .epsilon = epsilon}, wanted.streams,
            wanted.actions);
  take_actions();
}

WantedActions Evaluation::wanted_actions() {
  const std::size_t n = playing_.size(), bytes = episodes_.front().obs.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Episode& episode = episodes_[static_cast<std::size_t>(playing_[i])];
    std::memcpy(obs_.data() + i * bytes, episode.obs.data(), bytes);
    streams_[i] = episode.stream;
  }
  return {std::span(obs_).first(n * bytes), static_cast<int>(n), std::span(streams_).first(n),
          std::span(actions_).first(n)};
}

void Evaluation::take_actions() {
  for (std::size_t i = 0; i < playing_.size(); ++i) {
    Episode& episode = episodes_[static_cast<std::size_t>(playing_[i])];
    episode.stream = streams_[i];
    episode.action = actions_[i];
  }
}

void Evaluation::step(int number) {
  Episode& episode = episodes_[static_cast<std::size_t>(number)];
  const rl::StepResult result = episode.env->step(episode.action, episode.obs);
  episode.score += result.score;
  ++episode.length;
  const std::int64_t limit = episode.env->spec().eval_step_limit;
  episode.cut = !result.score_episode_over && limit > 0 && episode.length >= limit;
  episode.over = result.score_episode_over || episode.cut;
  // A lost life ends the agent's episode, not the game.
  if (result.done() && !episode.over) episode.env->reset(episode.obs);
}

void Evaluation::end_step() {
  std::erase_if(playing_, [&](int i) { return episodes_[static_cast<std::size_t>(i)].over; });
}

EvaluationScores Evaluation::scores() const {
  EvaluationScores scores;
  for (const Episode& episode : episodes_) {
    scores.returns.push_back(episode.score);
    scores.lengths.push_back(episode.length);
    scores.cut += episode.cut ? 1 : 0;
  }
  return scores;
}

std::optional<EvaluationScores> evaluate_policy(const EvaluationRequest& request) {
  const auto streams = evaluation_streams(request.stream, request.episodes);
  const std::size_t group =
      request.side_by_side > 0 ? static_cast<std::size_t>(request.side_by_side) : streams.size();
  EvaluationScores all;
  for (std::size_t begin = 0; begin < streams.size(); begin += group) {
    Evaluation evaluation(
        request.make, std::span(streams).subspan(begin, std::min(group, streams.size() - begin)));
    while (!evaluation.playing().empty()) {
      if (request.stop && request.stop()) return std::nullopt;
      evaluation.choose_actions(request.agent, request.epsilon, request.explore);
      for (const int episode : evaluation.playing()) evaluation.step(episode);
      evaluation.end_step();
    }
    const EvaluationScores scores = evaluation.scores();
    all.returns.insert(all.returns.end(), scores.returns.begin(), scores.returns.end());
    all.lengths.insert(all.lengths.end(), scores.lengths.begin(), scores.lengths.end());
    all.cut += scores.cut;
  }
  return all;
}

}  // namespace tarl::train
