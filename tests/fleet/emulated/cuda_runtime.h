// SPDX-License-Identifier: MIT
//
// The part of the CUDA runtime that the fleet uses, implemented on the CPU: every call is
// synchronous.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "fleet/emulated/device_words.h"
#include "fleet/emulated/races.h"

enum cudaError_t {
  cudaSuccess,
  cudaErrorMemoryAllocation,
  cudaErrorNotReady,
  cudaErrorLaunchFailure,
};

enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
using cudaStream_t = struct tarl_stream*;
using cudaEvent_t = struct tarl_event*;

inline constexpr cudaStream_t cudaStreamPerThread = nullptr;
inline constexpr unsigned cudaHostAllocMapped = 0, cudaStreamNonBlocking = 0;
inline constexpr unsigned cudaEventDisableTiming = 0;

struct cudaDeviceProp {
  char name[64];
  int major, minor, multiProcessorCount;
  std::size_t totalGlobalMem;
};

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

enum cudaLaunchAttributeID { cudaLaunchAttributeClusterDimension };

struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;

  union {
    struct {
      unsigned x, y, z;
    } clusterDim;
  } val;
};

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

// The reason the last failed kernel failed.
inline std::string tarl_failure;

inline const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorNotReady:
      return "not ready";
    case cudaErrorLaunchFailure:
      break;
  }
  return tarl_failure.c_str();
}

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  tarl::emulated::Grid grid{static_cast<int>(config->gridDim.x), 1,
                            static_cast<int>(config->blockDim.x), config->dynamicSmemBytes};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    if (config->attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    grid.cluster = static_cast<int>(config->attrs[i].val.clusterDim.x);
  }
  tarl_failure = tarl::emulated::run_grid(grid, [&] { kernel(arguments...); });
  return tarl_failure.empty() ? cudaSuccess : cudaErrorLaunchFailure;
}

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, int) {
  return cudaSuccess;
}

inline cudaError_t cudaMalloc(void** to, std::size_t bytes) {
  *to = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  tarl::emulated::races::add_memory(*to, bytes);
  return *to != nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
}

inline cudaError_t cudaFree(void* p) {
  tarl::emulated::races::remove_memory(p);
  std::free(p);
  return cudaSuccess;
}

template <class T>
cudaError_t cudaHostAlloc(T** to, std::size_t bytes, unsigned) {
  void* memory = nullptr;
  const cudaError_t result = cudaMalloc(&memory, bytes);
  *to = static_cast<T*>(memory);
  return result;
}

inline cudaError_t cudaFreeHost(void* p) {
  return cudaFree(p);
}

inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}

inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
  std::memset(to, value, bytes);
  return cudaSuccess;
}

inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}

inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = nullptr;
  return cudaSuccess;
}

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}

inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}

inline cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = nullptr;
  return cudaSuccess;
}

inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  return cudaSuccess;
}

inline cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudaSuccess;
}

inline cudaError_t cudaEventDestroy(cudaEvent_t) {
  return cudaSuccess;
}

inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

// TARL_EMULATED_CARD selects another compute capability, for example "8.6".
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* device, int) {
  *device = {"emulated", 9, 0, 1, std::size_t{1} << 30};
  const char* card = std::getenv("TARL_EMULATED_CARD");
  if (card != nullptr) std::sscanf(card, "%d.%d", &device->major, &device->minor);
  return cudaSuccess;
}

inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* all) {
  *free = *all = std::size_t{1} << 30;
  return cudaSuccess;
}

inline cudaError_t cudaDriverGetVersion(int* version) {
  *version = 0;
  return cudaSuccess;
}
