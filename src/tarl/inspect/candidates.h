// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/store/trace.h"
#include "tarl/train/config.h"

namespace tarl::inspect {

// Default number of candidates: enough for means of a few hundred at every age.
inline constexpr std::int64_t kDefaultRows = 8192;

struct Request {
  fs::path run;
  std::int64_t rows = kDefaultRows;          // at least this many candidates
  std::optional<std::int64_t> since_sync{};  // updates; empty: every age of the target
  std::int64_t seed = 0;                     // of the draws
  int threads = 1;
  std::function<void(const std::string&)> notice{};
};

// A candidate with its observations, for pictures.
struct Sight {
  std::size_t row = 0;  // in the per-candidate arrays of the trace
  std::string action;
  std::vector<std::byte> obs, next_obs;
};

// What the learner of a run would draw if it continued from its newest checkpoint.
struct Candidates {
  train::RunConfig config;
  rl::EnvSpec spec;
  std::int64_t step = 0;     // of the checkpoint
  std::int64_t updates = 0;  // made so far
  std::int64_t trained = 0;  // environment steps in memory, from the checkpoint to the last draw
  // Updates between target copies; empty if the target is blended.
  std::optional<std::int64_t> period;
  double target_lag = 0;      // mean age in updates of a blended target's parameters
  store::Trace draws;         // of the next updates
  std::vector<Sight> sights;  // of the first rows kept and rejected in some draws
};

// Loads the checkpoint into memory and draws candidates there as Learner does, without learning
// from them. Over one period of the target the run continues training in memory between draws. The
// folder is only read. Throws UsageError if it holds no checkpoint, or not what the request needs.
Candidates draw_candidates(const Request& request);

}  // namespace tarl::inspect
