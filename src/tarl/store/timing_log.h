// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tarl/core/files.h"

namespace tarl::store {

// timing.csv: when a run came how far, by the clock. The one log that is not a function of the
// settings and the seed. It is only ever added to: where a run was killed and went on from its
// checkpoint, steps come twice, as they were computed twice.
class TimingLog {
 public:
  struct Clock {
    std::function<double()> seconds{};   // of training, with those before a resume
    std::function<std::string()> utc{};  // as people write it
  };

  // Writes nothing if the clock has no seconds.
  TimingLog(fs::path path, Clock clock) : path_(std::move(path)), clock_(std::move(clock)) {}

  // From here the first row counts its rates.
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

}  // namespace tarl::store
