// SPDX-License-Identifier: MIT
#include "tarl/store/timing_log.h"

#include <limits>
#include <string_view>

#include "tarl/core/formats/number.h"
#include "tarl/store/log_tail.h"

namespace tarl::store {

namespace {

constexpr const char* kHeader = "step,updates,utc,seconds,steps_per_second,updates_per_second\n";

// Empty if no measurable time has passed.
std::string rate(std::int64_t count, double seconds) {
  return seconds > 0 ? format_number(static_cast<double>(count) / seconds) : "";
}

constexpr std::size_t kTail = 512;  // bytes: several rows
constexpr double kMost = 1e15;      // of steps and seconds

std::optional<Timing> read_row(std::string_view line) {
  constexpr std::size_t kStep = 0, kSeconds = 3;
  std::optional<double> step, seconds;
  for (std::size_t column = 0; column <= kSeconds; ++column) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const double value =
        parse_number(line.substr(0, comma), std::numeric_limits<double>::quiet_NaN());
    if (value >= 0 && value < kMost && column == kStep) step = value;
    if (value >= 0 && value < kMost && column == kSeconds) seconds = value;
    line.remove_prefix(comma + 1);
  }
  if (!step || !seconds) return std::nullopt;
  return Timing{static_cast<std::int64_t>(*step), *seconds};
}

}  // namespace

std::optional<Timing> last_timing(const fs::path& file) {
  std::optional<Timing> last;
  for_each_line(log_tail(file, kTail), [&](std::string_view line) {
    if (const auto row = read_row(line)) last = row;
  });
  return last;
}

void TimingLog::begin(std::int64_t step, std::int64_t updates) {
  if (clock_.seconds) last_ = {step, updates, clock_.seconds()};
}

void TimingLog::append(std::int64_t step, std::int64_t updates) {
  if (!clock_.seconds) return;
  const Moment now{step, updates, clock_.seconds()};
  const double passed = now.seconds - last_.seconds;
  std::error_code unknown;
  append_text(path_, (fs::exists(path_, unknown) ? "" : kHeader) + std::to_string(step) + "," +
                         std::to_string(updates) + "," + clock_.utc() + "," +
                         format_number(now.seconds) + "," + rate(step - last_.step, passed) + "," +
                         rate(updates - last_.updates, passed) + "\n");
  last_ = now;
}

}  // namespace tarl::store
