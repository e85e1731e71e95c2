// SPDX-License-Identifier: MIT
#include "tarl/replay/config.h"

#include <utility>

#include "tarl/core/machine.h"
#include "tarl/replay/alignment_priorities.h"
#include "tarl/replay/prioritized.h"
#include "tarl/replay/proportional.h"
#include "tarl/replay/reaper.h"
#include "tarl/replay/uniform.h"

namespace tarl::replay {

namespace {

constexpr double kPackedShare = 0.35;  // of Atari frames; few games need more

double bookkeeping_bytes_per_slot(Kind kind) {
  switch (kind) {
    case Kind::kPer:
      return ProportionalPriorities::kBytesPerSlot;
    case Kind::kReaper:
      return ReaperPriorities::kBytesPerSlot;
    case Kind::kAlignment:
      return AlignmentPriorities::kBytesPerSlot;
    case Kind::kUniform:
      break;
  }
  return 0;
}

std::unique_ptr<Priorities> make_priorities(const ReplayConfig& config, std::int64_t capacity,
                                            int lanes) {
  require(config.alpha >= 0, "replay settings that are not completed");
  if (config.kind == Kind::kPer) {
    return std::make_unique<ProportionalPriorities>(config.alpha, config.eps, capacity);
  }
  if (config.kind == Kind::kReaper) {
    return std::make_unique<ReaperPriorities>(
        ReaperPriorities::Settings{config.alpha, config.omega, config.eps}, capacity, lanes);
  }
  require(config.kind == Kind::kAlignment, "a replay without priorities");
  return std::make_unique<AlignmentPriorities>(config.kappa, config.eps, capacity);
}

}  // namespace

ReplayConfig completed(ReplayConfig config) {
  if (config.alpha < 0) config.alpha = config.kind == Kind::kReaper ? 0.4 : 0.6;
  return config;
}

Fields fields(ReplayConfig& config) {
  return {
      choice("replay.kind", config.kind, kKindNames, "how transitions are drawn from replay"),
      number_or({"-1", -1}, number("replay.alpha", config.alpha, 0, 2,
                                   "exponent of the error in a priority (per, reaper); -1 "
                                   "chooses 0.6 for per and 0.4 for reaper")),
      number("replay.omega", config.omega, 0, 2, "exponent of the reliability in reaper"),
      number("replay.beta", config.beta, 0, 1,
             "exponent of the importance weights at the start; it rises to 1 over the run"),
      number("replay.eps", config.eps, 1e-12, 1, "added to every error before it is a priority"),
      choice("replay.draw", config.draw, kDrawNames,
             "draw rows one by one, or one from each equal share of the priorities"),
      flag("replay.compress", config.compress,
           "pack pixel frames: a third of the memory or less, for less than one per cent of the "
           "time"),
  };
}

double storage_bytes(const ReplayConfig& config, const rl::ObsSpec& obs,
                     const rl::ActionSpec& action, std::int64_t capacity, int lanes) {
  const double rows = Storage::bytes_needed(obs, action, capacity, lanes);
  const double bookkeeping =
      bookkeeping_bytes_per_slot(config.kind) * static_cast<double>(capacity);
  return (config.compress ? kPackedShare * rows : rows) + bookkeeping;
}

Storage make_storage(const ReplayConfig& config, const rl::ObsSpec& obs,
                     const rl::ActionSpec& action, std::int64_t capacity, int lanes, Team* team) {
  if (config.compress && obs.kind != rl::ObsKind::kBytes) {
    throw UsageError("replay.compress = true is for tasks with pixels, which this one has not");
  }
  refuse_more_than_memory("buffer_size = " + std::to_string(capacity),
                          storage_bytes(config, obs, action, capacity, lanes),
                          "use a smaller buffer_size");
  return {obs, action, capacity, lanes, {.packed = config.compress, .team = team}};
}

std::unique_ptr<rl::Replay> make_replay(const ReplayConfig& config, const rl::ObsSpec& obs,
                                        const rl::ActionSpec& action, std::int64_t capacity,
                                        int lanes, int n_steps, double gamma, Team* team) {
  Storage storage = make_storage(config, obs, action, capacity, lanes, team);
  const Lookahead lookahead{n_steps, gamma};
  if (config.kind == Kind::kUniform) {
    return std::make_unique<UniformReplay>(std::move(storage), lookahead);
  }
  auto priorities = make_priorities(config, storage.capacity(), lanes);
  return std::make_unique<PrioritizedReplay>(
      std::move(storage), std::move(priorities),
      PrioritizedReplay::Settings{lookahead, config.draw, config.beta});
}

}  // namespace tarl::replay
