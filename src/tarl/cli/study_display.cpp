// SPDX-License-Identifier: MIT
#include "tarl/cli/study_display.h"

#include <algorithm>
#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

#include "tarl/cli/progress_bar.h"
#include "tarl/core/formats/number.h"

namespace tarl::cli {

namespace {

constexpr int kRunBarWidth = 16;
constexpr std::chrono::milliseconds kRedraw{500};
constexpr std::chrono::seconds kPlainSummary{30};

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%3.0f%%", 100 * share);
  return text;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string bar(double share) {
  std::string out;
  for (int i = 0; i < kRunBarWidth; ++i) out += i < share * kRunBarWidth ? "█" : "░";
  return out;
}

std::string run_line(const study::PlannedRun& run, const study::RunState& state) {
  const double share = static_cast<double>(state.step) / static_cast<double>(run.config.steps);
  return "  " + bar(share) + " " + percent(share) + " " + padded(run.name(), 44) + " score " +
         number(state.score);
}

std::size_t terminal_height() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 3 ? size.ws_row : 24u;
}

}  // namespace

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

StudyDisplay::StudyDisplay() : terminal_(::isatty(STDERR_FILENO) == 1) {}

StudyDisplay::~StudyDisplay() {
  clear();
}

void StudyDisplay::clear() {
  if (drawn_lines_ > 0) std::fprintf(stderr, "\033[%dA\033[J", drawn_lines_);
  drawn_lines_ = 0;
}

void StudyDisplay::say(const std::string& line) {
  clear();
  std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
}

void StudyDisplay::begun(std::span<const study::PlannedRun> runs, const study::Survey& survey,
                         const study::StudySession& session) {
  session_ = session;
  total_ = runs.size();
  done_ = static_cast<std::size_t>(survey.count(study::RunPhase::kFinished));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto steps = static_cast<double>(runs[i].config.steps);
    steps_total_ += steps;
    if (survey.states[i].phase == study::RunPhase::kFinished) steps_finished_ += steps;
  }
  say(plural(total_, "run") + ", " + std::to_string(done_) + " done, " +
      std::to_string(total_ - done_) + " to do (" + session.executor + ")");
  shown_ = Clock::now();
}

void StudyDisplay::event(const study::RunEvent& event) {
  using Kind = study::RunEvent::Kind;
  const std::string& name = event.run->name();
  if (event.kind == Kind::kStarted) {
    active_[event.run] = {};
    if (!terminal_) say("started  " + name);
    return;
  }
  active_.erase(event.run);
  switch (event.kind) {
    case Kind::kFinished:
      ++done_;
      steps_[event.run] = static_cast<double>(event.run->config.steps);
      say("[" + std::to_string(done_) + "/" + std::to_string(total_) + "] " + name + " in " +
          duration_text(event.seconds));
      break;
    case Kind::kFailed:
      ++failed_;
      say("FAILED   " + name + ": " + event.detail + " (log: " + event.run->folder.string() +
          "/train.log)");
      break;
    case Kind::kRetry:
      say("again    " + name + ", which ended with " + event.detail);
      break;
    case Kind::kStopped:
      say("stopped  " + name);
      break;
    case Kind::kInUse:
      say("waiting  " + name + ": another process works on it");
      break;
    case Kind::kStarted:
      break;
  }
}

void StudyDisplay::refresh() {
  for (auto& [run, state] : active_) {
    state = study::look_at(*run);
    steps_[run] = static_cast<double>(state.step);
  }
}

std::string StudyDisplay::summary() const {
  double steps = steps_finished_;
  for (const auto& [run, done] : steps_) steps += done;
  std::string line = std::to_string(done_) + "/" + std::to_string(total_) + " done, " +
                     std::to_string(active_.size()) + " running";
  if (failed_ > 0) line += ", " + std::to_string(failed_) + " FAILED";
  const auto left = study::seconds_left(session_, seconds_since_1970(),
                                        std::max(steps, session_.steps_at_start), steps_total_);
  return line + (left ? ", left " + duration_text(*left) : "");
}

void StudyDisplay::tick() {
  const Clock::time_point now = Clock::now();
  if (terminal_ ? now - shown_ < kRedraw : now - shown_ < kPlainSummary) return;
  shown_ = now;
  refresh();
  if (!terminal_) {
    say(summary());
    return;
  }
  clear();
  const std::size_t room = terminal_height() - 2;
  std::fprintf(stderr, "%s\n", summary().c_str());
  drawn_lines_ = 1;
  for (const auto& [run, state] : active_) {
    if (static_cast<std::size_t>(drawn_lines_) >= room) break;
    // Without wrapping, so that the line can be redrawn.
    std::fprintf(stderr, "\033[?7l%s\033[?7h\n", run_line(*run, state).c_str());
    ++drawn_lines_;
  }
  std::fflush(stderr);
}

std::string status_table(const study::Study& study, std::span<const study::PlannedRun> runs,
                         const study::Survey& survey) {
  std::size_t env_width = std::string("environment").size();
  std::size_t label_width = std::string("condition").size();
  for (const std::string& env : study.envs) env_width = std::max(env_width, env.size());
  for (const study::Condition& condition : study.conditions) {
    label_width = std::max(label_width, condition.label.size());
  }
  std::string out = padded("environment", env_width + 2) + padded("condition", label_width + 2) +
                    "done running stopped failed missing  progress\n";
  for (const std::string& env : study.envs) {
    for (const study::Condition& condition : study.conditions) {
      study::Survey cell;
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].env != env || runs[i].label != condition.label) continue;
        cell.states.push_back(survey.states[i]);
        cell.steps_done += static_cast<double>(survey.states[i].step);
        cell.steps_total += static_cast<double>(runs[i].config.steps);
      }
      using Phase = study::RunPhase;
      char row[160];
      std::snprintf(row, sizeof row, "%4d %7d %7d %6d %7d  %8s\n",
                    static_cast<int>(cell.count(Phase::kFinished)),
                    static_cast<int>(cell.count(Phase::kRunning)),
                    static_cast<int>(cell.count(Phase::kStopped)),
                    static_cast<int>(cell.count(Phase::kFailed)),
                    static_cast<int>(cell.count(Phase::kMissing)),
                    percent(cell.steps_done / cell.steps_total).c_str());
      out += padded(env, env_width + 2) + padded(condition.label, label_width + 2) + row;
    }
  }
  return out;
}

std::string status_line(const study::Survey& survey) {
  using Phase = study::RunPhase;
  std::string line;
  for (const Phase phase :
       {Phase::kFinished, Phase::kRunning, Phase::kStopped, Phase::kFailed, Phase::kMissing}) {
    line += (line.empty() ? "" : ", ") + std::to_string(survey.count(phase)) + " " +
            study::phase_name(phase);
  }
  return line + " of " + std::to_string(survey.states.size());
}

}  // namespace tarl::cli
