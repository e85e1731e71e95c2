// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tarl/core/files.h"

namespace tarl::store {

// timing.csv: a run's progress by the clock, the one log that is not a function of the settings and
// the seed. It is append-only: if a run was killed and resumed from its checkpoint, the repeated
// steps appear twice, as they were computed twice.
class TimingLog {
 public:
  struct Clock {
    std::function<double()> seconds{};   // of training, including those before a resume
    std::function<std::string()> utc{};  // in human-readable form
  };

  // Writes nothing if the clock has no seconds.
  TimingLog(fs::path path, Clock clock) : path_(std::move(path)), clock_(std::move(clock)) {}

  // The rates of the first row count from here.
  void begin(std::int64_t step, std::int64_t updates);

  void append(std::int64_t step, std::int64_t updates);

 private:
  struct Moment {
    std::int64_t step = 0, updates = 0;
    double seconds = 0;
  };

  fs::path path_;
  Clock clock_;
  Moment last_;
};

// A row of a timing.csv.
struct Timing {
  std::int64_t step = 0;
  double seconds = 0;  // of training, until this step
};

// The last complete row of a file that may be growing; nothing if there is none.
std::optional<Timing> last_timing(const fs::path& file);

}  // namespace tarl::store
