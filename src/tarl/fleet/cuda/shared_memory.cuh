// SPDX-License-Identifier: MIT
#pragma once

namespace tarl::fleet {

// The block's dynamic shared memory, of the size given at launch.
__device__ inline unsigned char* block_memory() {
  extern __shared__ __align__(128) unsigned char shared_memory[];
  return shared_memory;
}

}  // namespace tarl::fleet
