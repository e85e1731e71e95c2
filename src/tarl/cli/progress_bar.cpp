// SPDX-License-Identifier: MIT
#include "tarl/cli/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

namespace tarl::cli {

namespace {

constexpr int kBarWidth = 24;

template <class... Values>
std::string printed(const char* format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80u;
}

}  // namespace

std::string share_bar(double share) {
  const int filled = std::clamp(static_cast<int>(share * kBarWidth), 0, kBarWidth);
  std::string out;
  for (int i = 0; i < kBarWidth; ++i) out += i < filled ? "█" : "░";
  return out;
}

std::string duration_text(double seconds) {
  const long s = std::lround(seconds);
  if (s >= 3600) return printed("%ldh %02ldm", s / 3600, s / 60 % 60);
  if (s >= 60) return printed("%ldm %02lds", s / 60, s % 60);
  return printed("%lds", s);
}

std::string count_text(double count) {
  if (count >= 1e6) return printed("%.2fM", count / 1e6);
  if (count >= 1e4) return printed("%.0fk", count / 1e3);
  return printed("%.0f", count);
}

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)),
      terminal_(::isatty(STDERR_FILENO) == 1),
      started_(Clock::now()),
      shown_(started_) {}

ProgressBar::~ProgressBar() {
  finish_line();
}

void ProgressBar::finish_line() {
  if (line_open_) std::fputc('\n', stderr);
  line_open_ = false;
}

void ProgressBar::show(const train::Progress& progress) {
  if (first_step_ < 0) first_step_ = progress.step;
  const Clock::time_point now = Clock::now();
  const bool last = progress.step >= progress.steps;
  if (terminal_) {
    if (!last && now - shown_ < std::chrono::milliseconds(100)) return;
    // Without wrapping, so that the line can be redrawn.
    std::fprintf(stderr, "\r\033[K\033[?7l%s\033[?7h", describe(progress).c_str());
    line_open_ = true;
  } else {
    if (!progress.evaluated) return;
    std::fprintf(stderr, "%s\n", describe(progress).c_str());
  }
  std::fflush(stderr);
  shown_ = now;
}

std::string ProgressBar::describe(const train::Progress& progress) {
  const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
  const double done = static_cast<double>(progress.step - first_step_);
  const double rate = seconds > 0 ? done / seconds : 0;
  const double share = static_cast<double>(progress.step) / static_cast<double>(progress.steps);
  std::string out =
      printed("%3.0f%% %s/%s", 100 * share, count_text(static_cast<double>(progress.step)).c_str(),
              count_text(static_cast<double>(progress.steps)).c_str());
  if (rate > 0) {
    out += printed(" %s steps/s", count_text(rate).c_str());
    out += " left " + duration_text(static_cast<double>(progress.steps - progress.step) / rate);
  }
  if (progress.evaluations > 0) out += printed("  eval %.2f", progress.evaluation);
  if (progress.alignment >= 0) out += printed("  alignment %.3f", progress.alignment);
  if (!terminal_) return label_ + " " + out;
  // A narrow terminal shows the numbers without the bar, or alone.
  const std::size_t width = terminal_width(), labelled = label_.size() + 1 + out.size();
  if (labelled >= width) return out;
  const bool has_room = labelled + kBarWidth + 1 < width;
  return label_ + " " + (has_room ? share_bar(share) + " " : "") + out;
}

}  // namespace tarl::cli
