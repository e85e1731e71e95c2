// SPDX-License-Identifier: MIT
#include "tarl/cli/film.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "tarl/cli/video.h"
#include "tarl/core/error.h"
#include "tarl/core/formats/gif.h"
#include "tarl/core/lower_case.h"

namespace tarl::cli {

namespace {

constexpr std::size_t kMaxGifFrames = 2000;  // a GIF is built in memory
constexpr double kNoTime = 0.06;             // seconds per step of a task without a time scale
constexpr double kSlowest = 0.07;            // seconds per picture if several steps share one
constexpr double kVideoFrame = 1.0 / 60;

std::string extension_of(const fs::path& path) {
  return lower_case(path.extension().string());
}

class GifFilm final : public Film {
 public:
  GifFilm(fs::path path, const Pace& pace) : Film(pace), path_(std::move(path)) {}

  std::string finish() override {
    save_gif(path_, frames_, static_cast<int>(std::lround(1000 * pace().seconds)));
    return path_.string() + " (" + std::to_string(frames_.size()) + " frames" +
           (full() ? ", the most a GIF gets; --video has no limit" : "") + ")";
  }

 private:
  bool full() const override { return frames_.size() >= kMaxGifFrames; }

  void add(rl::Image image) override {
    frames_.push_back({image.width, image.height, std::move(image.rgb)});
  }

  fs::path path_;
  std::vector<GifFrame> frames_;
};

class VideoFilm final : public Film {
 public:
  VideoFilm(const fs::path& path, const Pace& pace)
      : Film(pace), path_(path), video_(path, pace.seconds) {}

  std::string finish() override {
    video_.finish();
    return path_.string() + " (" + std::to_string(frames_) + " frames)";
  }

 private:
  void add(rl::Image image) override {
    video_.add(image);
    ++frames_;
  }

  fs::path path_;
  std::int64_t frames_ = 0;
  VideoWriter video_;
};

}  // namespace

Pace gif_pace(double step_seconds) {
  const double step = step_seconds > 0 ? step_seconds : kNoTime;
  const auto shown = [](double seconds) { return std::max(0.02, std::round(100 * seconds) / 100); };
  Pace best{1, shown(step)};
  const auto error = [&](const Pace& pace) {
    return std::fabs(pace.seconds / (pace.steps * step) - 1);
  };
  for (int steps = 2; steps * step <= kSlowest; ++steps) {
    const Pace pace{steps, shown(steps * step)};
    if (error(pace) < error(best) - 1e-9) best = pace;
  }
  return best;
}

Pace video_pace(double step_seconds) {
  const double step = step_seconds > 0 ? step_seconds : kNoTime;
  const int steps = std::max(1, static_cast<int>(std::ceil(kVideoFrame / step - 1e-9)));
  return {steps, steps * step};
}

void Film::reset(const rl::Environment& env, std::span<const std::byte>) {
  steps_ = 0;
  shoot(env);
}

void Film::step(const rl::Environment& env, std::span<const std::byte>, const rl::Action&,
                const rl::StepResult& result, std::span<const std::byte>) {
  if (++steps_ % pace_.steps == 0 || result.score_episode_over) shoot(env);
}

void Film::shoot(const rl::Environment& env) {
  if (full()) return;
  std::string why;
  auto image = env.render(why);
  if (!image) throw Error("no picture of " + env.spec().name + ": " + why);
  add(std::move(*image));
}

std::unique_ptr<Film> gif_film(const fs::path& path, double step_seconds) {
  const std::string extension = extension_of(path);
  if (extension != ".gif" && VideoWriter::knows(extension)) {
    throw UsageError("--gif writes GIF, and " + path.string() +
                     " is named as a video; use --video " + path.string());
  }
  require_replaceable(path);
  return std::make_unique<GifFilm>(path, gif_pace(step_seconds));
}

std::unique_ptr<Film> video_film(const fs::path& path, double step_seconds) {
  if (!VideoWriter::knows(extension_of(path))) {
    throw UsageError("--video writes .mp4, .mkv, .webm, .mov or .avi, not " + path.string() +
                     (extension_of(path) == ".gif" ? "; use --gif " + path.string() : ""));
  }
  require_replaceable(path);
  return std::make_unique<VideoFilm>(path, video_pace(step_seconds));
}

}  // namespace tarl::cli
