// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tarl/core/fields.h"
#include "tarl/core/threads.h"
#include "tarl/replay/kinds.h"
#include "tarl/replay/storage.h"
#include "tarl/rl/replay.h"
#include "tarl/rl/spec.h"

namespace tarl::replay {

struct ReplayConfig {
  Kind kind = Kind::kUniform;
  double alpha = -1;   // exponent of the error; below 0: open, see completed()
  double omega = 0.2;  // exponent of the reliability (reaper)
  double beta = 0.4;   // importance weights at the start; 1 at the end of the run
  double eps = 1e-6;   // added to every error
  Draw draw = Draw::kIndependent;
  bool compress = false;  // pack frames
  double kappa = 1;       // exponent of the score (alignment)
};

Fields fields(ReplayConfig& config);

// Fills in alpha if it is open: 0.4 for reaper, 0.6 (per's) otherwise; uniform replay ignores it,
// like omega and beta.
ReplayConfig completed(ReplayConfig config);

// The rows of such a replay. Throws UsageError, naming the bytes, when the machine lacks the memory
// for them, or where they cannot be packed.
Storage make_storage(const ReplayConfig& config, const rl::ObsSpec& obs,
                     const rl::ActionSpec& action, std::int64_t capacity, int lanes,
                     Team* team = nullptr);

// Bytes that they take when they are full; of frames that are packed, about.
double storage_bytes(const ReplayConfig& config, const rl::ObsSpec& obs,
                     const rl::ActionSpec& action, std::int64_t capacity, int lanes);

// The replay that a completed config describes. With several environments ("lanes") the capacity is
// rounded down to a multiple of their number. Throws UsageError with the number of bytes if they
// exceed the machine's memory. A team, which must outlive the replay, helps to gather large
// batches.
std::unique_ptr<rl::Replay> make_replay(const ReplayConfig& config, const rl::ObsSpec& obs,
                                        const rl::ActionSpec& action, std::int64_t capacity,
                                        int lanes, int n_steps, double gamma, Team* team = nullptr);

}  // namespace tarl::replay
