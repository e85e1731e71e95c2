// SPDX-License-Identifier: MIT
#include "tarl/cli/device_choice.h"

#include "tarl/core/error.h"

namespace tarl::cli {

namespace {

constexpr const char* kDevices[] = {"cpu", "cuda"};

}  // namespace

bool on_gpu(const Args& args) {
  const std::string device = args.value("--device").value_or(kDevices[0]);
  if (device != kDevices[0] && device != kDevices[1]) {
    throw UsageError("--device " + device + " is not one of cpu, cuda");
  }
  return device == kDevices[1];
}

}  // namespace tarl::cli
