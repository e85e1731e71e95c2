// SPDX-License-Identifier: MIT
#include "tarl/fleet/agent_image.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "tarl/core/error.h"
#include "tarl/fleet/net_tensors.h"
#include "tarl/fleet/play.h"
#include "tarl/rl/environment.h"

namespace tarl::fleet {

namespace {

// Number of the oldest transition held.
std::int64_t oldest(const AgentSpec& spec, const AgentImage& image) {
  return std::max<std::int64_t>(0, image.head.stored - spec.capacity);
}

// Calls visit(array, elements a slot, name) for each array of transitions.
template <class Image, class Visit>
void for_each_array(const AgentSpec& spec, Image& image, Visit visit) {
  visit(image.frames, std::int64_t{spec.obs_bytes}, "frames");
  visit(image.action, std::int64_t{1}, "action_index");
  visit(image.reward, std::int64_t{1}, "reward");
  visit(image.flags, std::int64_t{1}, "flags");
}

void load_storage(const AgentSpec& spec, const StateReader& in, AgentImage& image) {
  const auto shape = in.get_vector<std::int64_t>("shape");
  if (shape != std::vector<std::int64_t>{spec.capacity, 1, 1, spec.obs_bytes, 0}) {
    throw Error("the saved replay does not fit this run's environment and buffer_size");
  }
  in.get("count", image.head.stored);
  in.get("newest_next",
         std::span(image.head.newest_next, static_cast<std::size_t>(spec.obs_bytes)));
  const StateReader tail = in.group("tail");
  std::int64_t first = 0, last = 0;
  tail.get("first", first);
  tail.get("last", last);
  if (first > oldest(spec, image) || last != image.head.stored) {
    throw Error("the saved replay is in pieces, which a fleet does not read; lower buffer_size");
  }
  for_each_array(spec, image, [&](auto& array, std::int64_t width, const char* name) {
    array.resize(static_cast<std::size_t>(image.filled(spec) * width));
    std::remove_cvref_t<decltype(array)> rows(static_cast<std::size_t>((last - first) * width));
    tail.get(name, rows);
    for (std::int64_t n = oldest(spec, image); n < last; ++n) {
      std::copy_n(rows.begin() + (n - first) * width, width,
                  array.begin() + n % spec.capacity * width);
    }
  });
}

void save_storage(const AgentSpec& spec, const AgentImage& image, StateWriter& out) {
  out.put("shape", std::vector<std::int64_t>{spec.capacity, 1, 1, spec.obs_bytes, 0});
  out.put("count", image.head.stored);
  out.put("newest_next",
          std::span(image.head.newest_next, static_cast<std::size_t>(spec.obs_bytes)));
  const std::int64_t first = oldest(spec, image), last = image.head.stored;
  StateWriter tail = out.group("tail");
  tail.put("first", first);
  tail.put("last", last);
  for_each_array(spec, image, [&](const auto& array, std::int64_t width, const char* name) {
    std::remove_cvref_t<decltype(array)> rows;
    rows.reserve(static_cast<std::size_t>((last - first) * width));
    for (std::int64_t n = first; n < last; ++n) {
      const auto from = array.begin() + n % spec.capacity * width;
      rows.insert(rows.end(), from, from + width);
    }
    tail.put(name, rows);
  });
  // MinAtar truncates no episode, so there are no final observations.
  tail.put("final_number", std::vector<std::int64_t>{});
  tail.put("final_frame", std::vector<std::byte>{});
}

template <class T>
std::vector<T> get_structs(const StateReader& in, const char* name) {
  const auto bytes = in.get_vector<std::byte>(name);
  std::vector<T> out(bytes.size() / sizeof(T));
  in.get(name, std::as_writable_bytes(std::span(out)));
  return out;
}

template <class T>
void put_structs(StateWriter& out, const char* name, const std::vector<T>& values) {
  out.put(name, std::as_bytes(std::span(values)));
}

struct LaneBooks {
  std::int64_t arrived, running;
};

void load_priorities(const AgentSpec& spec, const StateReader& in, AgentImage& image) {
  AgentHead& head = image.head;
  if (spec.replay == ReplayKind::kPer) {
    image.priority = in.get_vector<double>("priority");
    image.weight = in.get_vector<double>("weight");
    in.get("max_priority", head.max_priority);
    in.get("new_weight", head.new_weight);
    return;
  }
  image.td = in.get_vector<double>("td");
  image.sum = in.get_vector<double>("sum");
  image.entry = in.get_vector<std::uint32_t>("entry");
  image.row = get_structs<PowerRow>(in, "row");
  image.block = get_structs<PowerBlock>(in, "blocks");
  image.block_weight = in.get_vector<double>("block_weight");
  image.episode = get_structs<EpisodeBooks>(in, "episode");
  image.free_entries = in.get_vector<std::uint32_t>("free_entries");
  in.get("max_td", head.max_td);
  in.get("max_sum", head.max_sum);
  in.get("episodes", head.episodes);
  LaneBooks lane{};
  in.get("lane", lane);
  head.running = lane.running;
  head.entries = static_cast<std::int64_t>(image.episode.size());
  head.free_entries = static_cast<std::int64_t>(image.free_entries.size());
  if (lane.arrived != head.stored) throw Error("the saved ReaPER priorities do not fit the replay");
}

void save_priorities(const AgentSpec& spec, const AgentImage& image, StateWriter& out) {
  const AgentHead& head = image.head;
  if (spec.replay == ReplayKind::kPer) {
    out.put("priority", image.priority);
    out.put("weight", image.weight);
    out.put("max_priority", head.max_priority);
    out.put("new_weight", head.new_weight);
    return;
  }
  out.put("td", image.td);
  out.put("sum", image.sum);
  out.put("entry", image.entry);
  put_structs(out, "row", image.row);
  put_structs(out, "blocks", image.block);
  out.put("block_weight", image.block_weight);
  out.put("max_td", head.max_td);
  out.put("max_sum", head.max_sum);
  put_structs(out, "lane", std::vector<LaneBooks>{{head.stored, head.running}});
  put_structs(out, "episode", image.episode);
  out.put("free_entries", image.free_entries);
  out.put("episodes", head.episodes);
}

void load_lane(const AgentSpec& spec, const StateReader& in, AgentHead& head) {
  const auto obs_bytes = static_cast<std::size_t>(spec.obs_bytes);
  rl::Action action;
  rl::StepResult result;
  in.get("explore", head.explore);
  in.get("obs", std::span(head.obs, obs_bytes));
  in.get("next_obs", std::span(head.next_obs, obs_bytes));
  in.get("action", action);
  in.get("result", result);
  in.get("episode_score", head.episode_score);
  in.get("episode_length", head.episode_length);
  head.action = action.index;
  head.reward = result.reward;
  head.terminal = result.terminated ? 1 : 0;
  const StateReader env = in.group("env");
  const auto play = env.get_vector<std::byte>("play");
  require(play.size() <= sizeof(head.play.bytes), "a game larger than its room");
  std::copy(play.begin(), play.end(), head.play.bytes);
  env.get("rng", head.play.rng);
}

void save_lane(const AgentSpec& spec, const AgentHead& head, std::size_t play_bytes,
               StateWriter& out) {
  const auto obs_bytes = static_cast<std::size_t>(spec.obs_bytes);
  rl::Action action;
  action.index = head.action;
  // Equal states are equal bytes: the padding too.
  alignas(rl::StepResult) std::byte room[sizeof(rl::StepResult)] = {};
  auto* result = new (room) rl::StepResult;
  result->reward = result->score = head.reward;
  result->terminated = result->score_episode_over = head.terminal != 0;
  out.put("explore", head.explore);
  out.put("obs", std::span(head.obs, obs_bytes));
  out.put("next_obs", std::span(head.next_obs, obs_bytes));
  out.put("action", action);
  out.put("result", *result);
  out.put("episode_score", head.episode_score);
  out.put("episode_length", head.episode_length);
  StateWriter env = out.group("env");
  env.put("play", std::span(head.play.bytes, play_bytes));
  env.put("rng", head.play.rng);
}

}  // namespace

std::vector<std::string> moment_names(const OptimizerPlan& optimizer) {
  if (optimizer.adam != 0) return {"exp_avg", "exp_avg_sq"};
  if (optimizer.centered != 0) return {"square_avg", "grad_avg"};
  return {"square_avg"};
}

AgentImage load_image(const AgentSpec& spec, const StateReader& in) {
  AgentImage image;
  AgentHead& head = image.head;
  std::memset(static_cast<void*>(&head), 0, sizeof head);
  head = AgentHead{};
  std::int32_t phase = 0;
  in.get("step", head.step);
  in.get("evaluations", head.evaluations);
  in.get("phase", phase);
  head.phase = static_cast<Phase>(phase);
  load_lane(spec, in.group("lane/0"), head);

  const StateReader learner = in.group("learner");
  learner.get("sample_rng", head.sample);
  learner.get("noise_rng", head.noise);
  learner.get("updates", head.updates);
  learner.get("updates_since_sync", head.updates_since_sync);

  const StateReader agent = in.group("agent");
  image.values = from_tensors(spec.net, agent, "q.");
  image.target = from_tensors(spec.net, agent, "target.");
  const std::vector<std::string> moments = moment_names(spec.optimizer);
  for (std::size_t i = 0; i < moments.size(); ++i) {
    image.moment[i] = from_tensors(spec.net, agent, "optimizer." + moments[i] + ".");
  }
  agent.get("optimizer.steps", head.optimizer_steps);

  const StateReader replay = in.group("replay");
  load_storage(spec, replay.group("storage"), image);
  if (spec.replay != ReplayKind::kUniform) {
    load_priorities(spec, replay.group("priorities"), image);
  }
  return image;
}

void save_image(const AgentSpec& spec, const AgentImage& image, StateWriter& out) {
  const AgentHead& head = image.head;
  out.put("step", head.step);
  out.put("evaluations", head.evaluations);
  out.put("phase", static_cast<std::int32_t>(head.phase));
  StateWriter lane = out.group("lane/0");
  save_lane(spec, head, play_size(spec.game), lane);

  StateWriter learner = out.group("learner");
  learner.put("sample_rng", head.sample);
  learner.put("noise_rng", head.noise);
  learner.put("updates", head.updates);
  learner.put("updates_since_sync", head.updates_since_sync);

  StateWriter agent = out.group("agent");
  const auto put = [&](const std::vector<float>& values, const std::string& prefix) {
    for (const auto& [name, tensor] : to_tensors(spec.net, values, prefix)) {
      agent.put(name, tensor.as<float>());
    }
  };
  put(image.values, "q.");
  put(image.target, "target.");
  const std::vector<std::string> moments = moment_names(spec.optimizer);
  for (std::size_t i = 0; i < moments.size(); ++i) {
    put(image.moment[i], "optimizer." + moments[i] + ".");
  }
  agent.put("optimizer.steps", head.optimizer_steps);

  StateWriter replay = out.group("replay");
  StateWriter storage = replay.group("storage");
  save_storage(spec, image, storage);
  if (spec.replay != ReplayKind::kUniform) {
    StateWriter priorities = replay.group("priorities");
    save_priorities(spec, image, priorities);
  }
}

void load_means(const train::Means& means, AgentHead& head) {
  for (int i = 0; i < kAgentMetrics; ++i) head.sum[i] = means.total(static_cast<Metric>(i)).sum;
  head.count = means.total(Metric::kLoss).count;
  head.skipped = means.total(Metric::kSkippedUpdates).count;
}

void store_means(const AgentSpec& spec, const AgentHead& head, train::Means& means) {
  if (head.skipped > 0) {
    means.set(Metric::kSkippedUpdates, {static_cast<double>(head.skipped), head.skipped});
  }
  if (head.count == 0) return;
  const int metrics = spec.needs_scores != 0 ? kAgentMetrics : kUpdateMetrics;
  for (int i = 0; i < metrics; ++i) {
    means.set(static_cast<Metric>(i), {head.sum[i], head.count});
  }
}

}  // namespace tarl::fleet
