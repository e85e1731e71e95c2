// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tarl/core/error.h"
#include "tarl/fleet/actor_critic/program.h"
#include "tarl/fleet/device_run.h"
#include "tarl/fleet/minatar_dqn/program.h"
#include "tarl/fleet/pixel_dqn/program.h"
#include "tarl/train/extend.h"

namespace tarl::fleet {

std::span<const DeviceProgram> programs() {
  static const DeviceProgram all[] = {minatar_dqn_program(), actor_critic_program(),
                                      pixel_dqn_program()};
  return all;
}

std::string why_not(const train::RunConfig& config) {
  if (!config.extended.from.empty() && !train::length_schedules(config).empty()) {
    return "its schedules refer to more than one number of steps (extended.from)";
  }
  if (config.align.trace > 0) {
    return "a fleet writes no trace (align.trace = 0)";
  }
  if (config.margin_is_open()) return "its margin has not been measured yet (align.margin = auto)";
  std::string reasons, nearest;
  for (const DeviceProgram& program : programs()) {
    const std::string reason = program.why_not(config);
    if (reason.empty()) return "";
    if (program.concerns(config)) nearest = reason;
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  return nearest.empty() ? reasons : nearest;
}

const DeviceProgram& program_for(const train::RunConfig& config) {
  if (const std::string reason = why_not(config); !reason.empty()) throw UsageError(reason);
  return *std::ranges::find_if(
      programs(), [&](const DeviceProgram& program) { return program.why_not(config).empty(); });
}

std::string why_not_on(const Capability& card, const DeviceProgram& program) {
  if (program.cards.include(card)) return "";
  return std::string(program.name) + " needs " + program.cards.text() + ", and this card has " +
         card.text();
}

bool runs_any_program(const Capability& card) {
  return std::ranges::any_of(
      programs(), [&](const DeviceProgram& program) { return program.cards.include(card); });
}

std::string why_not_here(const train::RunConfig& config, const DeviceInfo& device) {
  if (!device.found) return "CUDA is " + device.text;
  return why_not_on(device.capability, program_for(config));
}

}  // namespace tarl::fleet
