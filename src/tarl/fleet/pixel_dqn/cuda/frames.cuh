// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/waves/place.cuh"
#include "tarl/fleet/pixel_dqn/cuda/view.cuh"
#include "tarl/replay/frame_token.h"

// Frames are copied into the device's replay, and read as floats, in the blocks of 4x4 pixels that
// the first convolution expects.
namespace tarl::fleet::pixel_dqn {

using Place = PlaceOf<Item>;

inline constexpr int kBlockPixels = 16;
static_assert(2 * kMostStack <= kBlockThreads / 32, "a warp for each frame of a row");

// Stores what the host has sent since the last update, one warp per frame.
__global__ void __launch_bounds__(kBlockThreads) store_frames(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const int row = row_of_warp(place);
  if (row >= place.item.staged) return;
  const StagedFrame& frame = place.item.staged_frames[row];
  const auto* from = reinterpret_cast<const uint4*>(place.item.staging + frame.offset);
  auto* to = reinterpret_cast<uint4*>(frame.to);
  for (int k = lane_of_warp(); k * kFrameGrain < frame.bytes; k += 32) to[k] = from[k];
}

// replay::FrameCodec::unpack() by one warp. A byte of a repeat is read from its source, so that no
// lane waits for another.
__device__ inline void unpack_frame(const unsigned char* packed, int bytes, unsigned char* out) {
  using replay::FrameToken;
  const unsigned char* const end = packed + bytes;
  const int lane = lane_of_warp();
  while (packed < end) {
    const FrameToken token = FrameToken::at(packed);
    packed += sizeof token;
    for (int k = lane; k < token.fresh; k += 32) out[k] = packed[k];
    packed += token.fresh;
    out += token.fresh;
    __syncwarp();
    const int repeat = static_cast<int>(token.repeat());
    const int distance = static_cast<int>(token.distance());
    for (int k = lane; k < repeat; k += 32) out[k] = out[k % distance - distance];
    out += repeat;
    __syncwarp();
  }
}

template <class Each>
__device__ void each_block(const AgentView& view, Each each) {
  for (int block = lane_of_warp(); block < view.blocks(); block += 32) each(block);
}

// As block_bytes of nn: one channel of an observation, or zeros.
__device__ inline void put_block(const AgentView& view, const unsigned char* frame, int block,
                                 int channel, float* x) {
  float* to = x + (block * view.stack + channel) * kBlockPixels;
  const int row = block / view.blocks_wide, column = block % view.blocks_wide;
  const int from = row * 4 * view.width + column * 4;
#pragma unroll
  for (int pixel = 0; pixel < kBlockPixels; ++pixel) {
    const unsigned char byte =
        frame != nullptr ? frame[from + pixel / 4 * view.width + pixel % 4] : 0;
    to[pixel] = view.pixel_scale * static_cast<float>(byte);
  }
}

// One block per drawn transition: each warp unpacks a frame and writes it wherever the observation
// and the next observation contain it.
__global__ void __launch_bounds__(kBlockThreads) unpack_rows(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  const int row = place.block, at = thread_of_block() / 32;
  if (row >= view.candidates) return;
  const DrawnFrames& drawn = place.item.drawn[row];
  if (at >= (drawn.goes_on ? view.stack + 1 : 2 * view.stack)) return;
  const FramePlace frame = drawn.frame[at];
  const unsigned char* pixels = frame.at;
  if (frame.at != nullptr && frame.packed) {
    unsigned char* room = block_memory() + at * view.frame_bytes();
    unpack_frame(frame.at, frame.bytes, room);
    pixels = room;
  }
  float* x = view.x + static_cast<long>(row) * view.x_row();
  float* next_x = x + static_cast<long>(view.candidates) * view.x_row();
  if (at < view.stack) {
    each_block(view, [&](int block) { put_block(view, pixels, block, at, x); });
  }
  const int next_channel = at - (drawn.goes_on ? 1 : view.stack);
  if (next_channel >= 0) {
    if (drawn.terminated) pixels = nullptr;
    each_block(view, [&](int block) { put_block(view, pixels, block, next_channel, next_x); });
  }
  if (thread_of_block() != 0) return;
  view.action[row] = drawn.action;
  view.reward[row] = drawn.reward;
  view.discount[row] = drawn.discount;
}

// The observations that the host needs actions for.
__global__ void __launch_bounds__(kBlockThreads)
    load_observations(const Item* items, int blocks_each) {
  const Place place = Place::of(items, blocks_each);
  const AgentView& view = place.view;
  const int frames = place.item.act_rows * view.stack;
  each_number(place, frames * view.blocks(), [&](int at) {
    const int frame = at / view.blocks(), channel = frame % view.stack;
    put_block(view, place.item.act_obs + static_cast<long>(frame) * view.frame_bytes(),
              at % view.blocks(), channel,
              view.act_x + static_cast<long>(frame / view.stack) * view.x_row());
  });
}

}  // namespace tarl::fleet::pixel_dqn
