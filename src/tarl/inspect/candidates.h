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

// Candidates that are drawn where nobody says how many: means of a few hundred at every age.
inline constexpr std::int64_t kDefaultRows = 8192;

struct Request {
  fs::path run;
  std::int64_t rows = kDefaultRows;          // at least so many candidates
  std::optional<std::int64_t> since_sync{};  // updates; nothing: all ages that the target has
  std::int64_t seed = 0;                     // of the draws
  int threads = 1;
  std::function<void(const std::string&)> notice{};
};

// A candidate with its observations, to make pictures of.
struct Sight {
  std::size_t row = 0;  // in the arrays of the trace that have a value for each candidate
  std::string action;
  std::vector<std::byte> obs, next_obs;
};

// What the learner of a run would look at, had it gone on from its newest checkpoint.
struct Candidates {
  train::RunConfig config;
  rl::EnvSpec spec;
  std::int64_t step = 0;     // of the checkpoint
  std::int64_t updates = 0;  // made until then
  std::int64_t trained = 0;  // environment steps in memory, from there to the last draw
  // Updates from one copy of the target to the next; nothing where it is blended.
  std::optional<std::int64_t> period;
  double target_lag = 0;      // mean age in updates of a blended target's parameters
  store::Trace draws;         // of the updates that would come next
  std::vector<Sight> sights;  // of the first rows kept and left out of some draws
};

// Loads the checkpoint into memory and draws candidates there as Learner does, without learning
// from them. Over one period of the target the run goes on training in memory between draws. The
// folder is only read. Throws UsageError where it holds no checkpoint, or not what is asked for.
Candidates draw_candidates(const Request& request);

}  // namespace tarl::inspect
