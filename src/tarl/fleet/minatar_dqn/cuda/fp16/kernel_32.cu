// SPDX-License-Identifier: MIT
#include "tarl/fleet/minatar_dqn/cuda/fp16/launch.cuh"

namespace tarl::fleet {

cudaError_t launch_fp16_32(const AgentSpec& spec, const AgentView& view, std::int64_t stop,
                           cudaStream_t stream) {
  return launch_kept<32>(spec, view, stop, stream);
}

}  // namespace tarl::fleet
