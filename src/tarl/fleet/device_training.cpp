// SPDX-License-Identifier: MIT
#include "tarl/fleet/device_training.h"

#include <chrono>
#include <thread>

#include "tarl/core/error.h"
#include "tarl/fleet/device.h"
#include "tarl/fleet/fleet_run.h"
#include "tarl/fleet/needs.h"
#include "tarl/train/extend.h"
#include "tarl/train/loop.h"

namespace tarl::fleet {

namespace {

constexpr std::chrono::microseconds kBetweenLooks{200};

void refuse(const train::RunConfig& config) {
  std::string reason = why_not(config);
  if (reason.empty() && train::wants_extension(config)) reason = "a fleet cannot extend a run";
  if (!reason.empty()) {
    throw UsageError(reason + "; leave --device cuda out to train on the CPU");
  }
  const DeviceInfo device = device_info();
  reason = why_not_here(config, device);
  if (!reason.empty()) {
    throw Error("no GPU for --device cuda: " + reason + "; leave it out to train on the CPU");
  }
  const Needs needs = needs_of(config);
  refuse_more_than_fit({&needs, 1}, 1, device.free_bytes, "lower buffer_size");
  train::environments_of(config)(seeded(0));  // throws if a simulator or a ROM is missing
}

}  // namespace

train::RunOutcome train_on_device(const train::RunRequest& asked) {
  refuse(asked.config);
  train::RunRequest request = asked;
  if (const auto over = train::settle(request)) return *over;
  FleetRun run(
      request.config, request.folder, request.notice ? request.notice : [](const std::string&) {});
  while (true) {
    const FleetRun::State state = run.poll(request.stop && request.stop());
    const train::Progress progress = run.progress();
    switch (state) {
      case FleetRun::State::kBusy:
        std::this_thread::sleep_for(kBetweenLooks);
        break;
      case FleetRun::State::kAdvanced:
        if (request.progress) request.progress(progress);
        break;
      case FleetRun::State::kFinished:
        return {train::RunEnd::kFinished, progress.step, progress.evaluation};
      case FleetRun::State::kStopped:
        return {train::RunEnd::kStopped, progress.step, progress.evaluation};
    }
  }
}

}  // namespace tarl::fleet
