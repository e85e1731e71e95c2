// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/fleet/cuda/waves/product.h"
#include "tarl/fleet/pixel_dqn/device.h"

// An agent as kernels see it.
namespace tarl::fleet::pixel_dqn {

// Independent products each, in the order of an update.
enum class Phase : std::int32_t {
  kConv1,  // all networks, on all observations that targets and scores need
  kConv2,
  kConv3,
  kHidden,
  kHead,
  kBackHidden,  // gradients of kept rows, from the last layer down
  kBackFeatures,
  kBackConv3,
  kBackConv2,
  kWeights,
  kBiases,    // of convolutions; summed over rows in kWeights
  kActConv1,  // acting
  kActConv2,
  kActConv3,
  kActHidden,
  kActHead,
};
inline constexpr int kPhases = 16;

// A frame in memory that the device can read.
struct FramePlace {
  const unsigned char* at = nullptr;  // none: black
  std::int32_t bytes = 0;
  bool packed = false;
};

// A drawn transition: the frames of its observation and the next frame, or all frames of the next
// observation, which are not packed then.
struct DrawnFrames {
  FramePlace frame[2 * kMostStack];
  bool goes_on = true;
  std::int32_t action = 0;
  float reward = 0, discount = 0;
  bool terminated = false;
};

inline constexpr int kFrameGrain = 16;     // alignment of frames in bytes
inline constexpr int kStagedFrames = 128;  // of an agent, waiting for an update

// A frame on its way to the device's replay.
struct StagedFrame {
  unsigned char* to = nullptr;
  std::int32_t offset = 0, bytes = 0;  // in the staging memory
};

// Kept rows as rows of pixels: out[i * count + p] = kept[i] * pixels + place[p].
struct KeptPixels {
  std::int32_t* out = nullptr;
  const std::int32_t* place = nullptr;
  std::int32_t count = 0, pixels = 0;
};

inline constexpr int kKeptTables = 8;

// Sums over parts of a depth, to be added up: to[i] = from[i] + from[count + i] + ...
struct Parts {
  const float* from = nullptr;
  float* to = nullptr;
  std::int32_t count = 0, parts = 0;
};

inline constexpr int kSplitConvs = 3;

struct AgentView {
  PhaseView phase[kPhases];
  std::int32_t height = 0, width = 0, stack = 0, actions = 0, batch = 0, candidates = 0;
  std::int32_t online_rows = 0, blocks_high = 0, blocks_wide = 0, z_stride = 0;
  bool dueling = false, double_q = false, scores = false;
  nn::LossKind loss = nn::LossKind::kHuber;
  float tau = 0;
  double max_grad_norm = 0;
  OptimizerPlan optimizer;
  float *x = nullptr, *act_x = nullptr;             // [rows][blocks][stack][16]; of s, then of s'
  float *z = nullptr, *z_target = nullptr;          // [rows][z_stride] outputs of the last layer
  float *q = nullptr, *q_target = nullptr;          // [rows][actions]
  float *reward = nullptr, *discount = nullptr;     // [candidates]
  float *y_online = nullptr, *y_offline = nullptr;  // [candidates]
  std::int32_t* action = nullptr;                   // [candidates]
  float *dq = nullptr, *dz = nullptr;               // [batch]
  std::int32_t* kept = nullptr;                     // [batch], ascending
  KeptPixels kept_pixels[kKeptTables];
  float *values = nullptr, *target = nullptr, *grads = nullptr;
  float* stepped = nullptr;                   // the values after the update
  float *first = nullptr, *second = nullptr;  // moments
  std::int32_t size = 0, chunks = 0;          // floats; parts of the gradient's norm
  float* squares = nullptr;                   // [chunks]
  float* clip = nullptr;                      // factor of the gradient
  float pixel_scale = 0;                      // factor of pixels
  float* largest_slope = nullptr;             // fp16: of the loss, in an update
  Parts parts[kSplitConvs];                   // of gradients computed in parts
  std::int32_t* stop = nullptr;  // something is not finite: the rest of the update is skipped

  TARL_HOST_DEVICE int frame_bytes() const { return height * width; }

  TARL_HOST_DEVICE int blocks() const { return blocks_high * blocks_wide; }

  TARL_HOST_DEVICE int x_row() const { return blocks() * stack * 16; }
};

// Total size of its tables of kept rows.
TARL_HOST_DEVICE inline int kept_numbers(const AgentView& view) {
  int count = 0;
  for (const KeptPixels& table : view.kept_pixels) count += view.batch * table.count;
  return count;
}

// How many gradients are computed in parts.
TARL_HOST_DEVICE inline int numbers_in_parts(const AgentView& view) {
  int count = 0;
  for (const Parts& parts : view.parts) count += parts.count;
  return count;
}

struct Item {
  const AgentView* view = nullptr;
  const DrawnFrames* drawn = nullptr;  // in host memory, as the next four
  const unsigned char* act_obs = nullptr;
  const StagedFrame* staged_frames = nullptr;
  const unsigned char* staging = nullptr;
  UpdateOutput* output = nullptr;
  std::int32_t staged = 0, act_rows = 0;
  std::int32_t syncs = 0;  // of the target, before everything else
  float rate = 0;
  nn::AdamSizes adam;

  TARL_HOST_DEVICE bool leaves_out_optional() const { return false; }

  // An act during an update goes on.
  TARL_HOST_DEVICE bool stopped() const { return act_rows == 0 && *view->stop != 0; }
};

}  // namespace tarl::fleet::pixel_dqn
