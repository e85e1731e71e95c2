// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/core/host_device.h"

namespace tarl {

struct PhiloxBlock {
  std::uint32_t word[4];
};

// Philox4x32-10 (Salmon et al. 2011): a pure function of a 64-bit key and a 128-bit counter.
TARL_HOST_DEVICE inline PhiloxBlock philox(std::uint64_t key, std::uint64_t counter_low,
                                           std::uint64_t counter_high = 0) {
  std::uint32_t c0 = static_cast<std::uint32_t>(counter_low);
  std::uint32_t c1 = static_cast<std::uint32_t>(counter_low >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(counter_high);
  std::uint32_t c3 = static_cast<std::uint32_t>(counter_high >> 32);
  std::uint32_t k0 = static_cast<std::uint32_t>(key);
  std::uint32_t k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace tarl
