// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>

#include "tarl/fleet/cuda/device_memory.cuh"
#include "tarl/fleet/device.h"
#include "tarl/fleet/device_run.h"

namespace tarl::fleet {

namespace {

constexpr int kMostKernels = 128;  // the hardware's limit of concurrent kernels; each agent is one

}  // namespace

DeviceInfo device_info() {
  // A hardware queue per agent, up to the maximum of 32; CUDA reads the variable at its first call.
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
  check(cudaGetDeviceProperties(&device, 0), "querying its properties");
  check(cudaDriverGetVersion(&driver), "querying the driver version");
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "querying its memory");
  info.free_bytes = static_cast<double>(free);
  info.agents_at_once = std::min(device.multiProcessorCount, kMostKernels);
  info.capability = {device.major, device.minor};
  info.found = runs_any_program(info.capability);
  info.text = std::string(device.name) + ", " + std::to_string(device.multiProcessorCount) +
              " multiprocessors, " + std::to_string(device.totalGlobalMem >> 30) +
              " GiB, compute capability " + info.capability.text() + ", driver for CUDA " +
              std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10);
  if (!info.found) info.text += ", which no program of the fleet runs on";
  return info;
}

}  // namespace tarl::fleet
