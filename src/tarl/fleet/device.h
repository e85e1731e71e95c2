// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <string>

namespace tarl::fleet {

// NVIDIA's compute capability: 8.0 is Ampere, 9.0 is Hopper.
struct Capability {
  int major = 0, minor = 0;
  auto operator<=>(const Capability&) const = default;

  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

// The GPUs that a program's kernels run on.
struct Cards {
  Capability least{9, 0};
  bool later = false;  // and on all later ones; otherwise on `least` alone

  bool include(const Capability& card) const { return later ? card >= least : card == least; }

  // "compute capability 8.0 or later"
  std::string text() const {
    return "compute capability " + least.text() + (later ? " or later" : "");
  }
};

// This machine's GPU, as far as the build and the driver support it.
struct DeviceInfo {
  bool built = false;     // built with CUDA
  bool found = false;     // a device that can run at least one program
  std::string text;       // one line for users: the device, or why there is none
  Capability capability;  // of the device, even if no program runs on it
  int agents_at_once = 0;
  double free_bytes = 0;  // of device memory
};

DeviceInfo device_info();

}  // namespace tarl::fleet
