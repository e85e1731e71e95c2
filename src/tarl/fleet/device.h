// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <string>

namespace tarl::fleet {

// What a GPU can do, as NVIDIA numbers it: 8.0 is Ampere, 9.0 Hopper.
struct Capability {
  int major = 0, minor = 0;
  auto operator<=>(const Capability&) const = default;

  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

// The GPUs that kernels run on.
struct Cards {
  Capability least{9, 0};
  bool later = false;  // and on all that came after; else the kernels use what `least` alone has

  bool include(const Capability& card) const { return later ? card >= least : card == least; }

  // "compute capability 8.0 or later"
  std::string text() const {
    return "compute capability " + least.text() + (later ? " or later" : "");
  }
};

// The GPU of this machine, as the build and the driver allow.
struct DeviceInfo {
  bool built = false;     // CUDA is in this build
  bool found = false;     // a device that can run some program
  std::string text;       // one line for people: the device, or why there is none
  Capability capability;  // of the device that is there, whether it can run anything or not
  int agents_at_once = 0;
  double free_bytes = 0;  // of its memory
};

DeviceInfo device_info();

}  // namespace tarl::fleet
