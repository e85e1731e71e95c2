// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace tarl::fleet {

// The GPU of this machine, as the build and the driver allow.
struct DeviceInfo {
  bool built = false;  // CUDA is in this build
  bool found = false;  // a device that can run it
  std::string text;    // one line for people: the device, or why there is none
  int agents_at_once = 0;
};

DeviceInfo device_info();

}  // namespace tarl::fleet
