// SPDX-License-Identifier: MIT
#include "tarl/store/timing_log.h"

#include "tarl/core/formats/number.h"

namespace tarl::store {

namespace {

constexpr const char* kHeader = "step,updates,utc,seconds,steps_per_second,updates_per_second\n";

// Empty if no measurable time has passed.
std::string rate(std::int64_t count, double seconds) {
  return seconds > 0 ? format_number(static_cast<double>(count) / seconds) : "";
}

}  // namespace

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
