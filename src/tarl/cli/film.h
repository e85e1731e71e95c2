// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tarl/cli/watcher.h"
#include "tarl/core/files.h"

namespace tarl::cli {

// The pace of a film: one picture per so many steps, each shown for so long.
struct Pace {
  int steps = 1;
  double seconds = 0;
};

// At the task's own speed, or 60 ms per step if it has none. A GIF counts in hundredths of a
// second, at least two per picture; a video shows at most 60 pictures per second.
Pace gif_pace(double step_seconds);
Pace video_pace(double step_seconds);

// A film of the episodes it watches.
class Film : public Watcher {
 public:
  explicit Film(const Pace& pace) : pace_(pace) {}

  void reset(const rl::Environment& env, std::span<const std::byte> obs) override;
  void step(const rl::Environment& env, std::span<const std::byte> before, const rl::Action& action,
            const rl::StepResult& result, std::span<const std::byte> after) override;

  // Writes the file and returns a line that describes it.
  virtual std::string finish() = 0;

 protected:
  const Pace& pace() const { return pace_; }

 private:
  virtual bool full() const { return false; }

  virtual void add(rl::Image image) = 0;
  void shoot(const rl::Environment& env);

  Pace pace_;
  std::int64_t steps_ = 0;  // since the last reset
};

// Throw UsageError if the file's name implies the other kind, Error if the file cannot be written
// or there is no ffmpeg.
std::unique_ptr<Film> gif_film(const fs::path& path, double step_seconds);
std::unique_ptr<Film> video_film(const fs::path& path, double step_seconds);

}  // namespace tarl::cli
