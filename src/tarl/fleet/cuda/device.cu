// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>

#include "tarl/fleet/cuda/device_memory.cuh"
#include "tarl/fleet/device.h"

namespace tarl::fleet {

namespace {

constexpr int kLeastMajor = 9;     // Hopper: the kernels are compiled for sm_90a
constexpr int kMostKernels = 128;  // that run side by side; an agent is one

}  // namespace

DeviceInfo device_info() {
  // One queue an agent as far as there are any; read when the first call of CUDA is made.
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  DeviceInfo info;
  info.built = true;
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess || count == 0) {
    info.text = std::string("built in, but no device: ") +
                (result != cudaSuccess ? cudaGetErrorString(result) : "the driver lists none");
    return info;
  }
  cudaDeviceProp device{};
  int driver = 0;
  check(cudaGetDeviceProperties(&device, 0), "asking what it is");
  check(cudaDriverGetVersion(&driver), "asking for its driver");
  info.agents_at_once = std::min(device.multiProcessorCount, kMostKernels);
  info.found = device.major == kLeastMajor;
  info.text = std::string(device.name) + ", " + std::to_string(device.multiProcessorCount) +
              " multiprocessors, " + std::to_string(device.totalGlobalMem >> 30) +
              " GiB, compute capability " + std::to_string(device.major) + "." +
              std::to_string(device.minor) + ", driver for CUDA " + std::to_string(driver / 1000) +
              "." + std::to_string(driver % 1000 / 10);
  if (!info.found) info.text += "; the fleet is compiled for compute capability 9.0";
  return info;
}

}  // namespace tarl::fleet
