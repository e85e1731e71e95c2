// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tarl/core/host_device.h"
#include "tarl/fleet/minatar_dqn/agent_spec.h"

// How the fp16 kernel keeps the big layer (1024 features to 128 units) in the device's memory, as
// tensor cores read it: in tiles of 16 features (one place of the board) times 16 units, the fp16s
// that are multiplied apart from what only the optimiser reads.
//
// A weight is an fp16, which is what products use, and 16 more bits, the difference of the bit
// patterns of the f32 and of that fp16: together the f32 itself where |w| >= 2^-17, and within 3e-8
// of it below. The second moment is f32.
namespace tarl::fleet {

inline constexpr int kUnits = 128;
inline constexpr int kUnitGroups = kUnits / 16;                // tiles of a place
inline constexpr int kPackedTiles = kPositions * kUnitGroups;  // [place][group]
inline constexpr int kTileWeights = 256;
inline constexpr int kHighBytes = kTileWeights * 2;                     // fp16s of a tile
inline constexpr int kRestBytes = kTileWeights * 2 + kTileWeights * 4;  // low bits, moments

// A tile's fp16s are four matrices, 8 units times 8 maps of 128 bytes each: read along the maps by
// the forward pass, which takes chunks of four places, along the units by the backward pass.
inline constexpr int kMatrix = 64;
inline constexpr int kChunkPlaces = 4;
inline constexpr int kChunks = kPositions / kChunkPlaces;
inline constexpr int kChunkBytes = kChunkPlaces * kUnitGroups * kHighBytes;

// Where weight (feature, unit) lies. Within a tile, lane 4 g + t has maps 2t and 2t + 1 (and 8
// more) of units g and g + 8: part 0 is (g, 2t), 1 is (g, 8 + 2t), 2 and 3 the same of unit g + 8.
struct PackedPlace {
  int tile, lane, part, odd;

  // Of all fp16s.
  TARL_HOST_DEVICE int high() const {
    return tile * kTileWeights + part * kMatrix + lane * 2 + odd;
  }

  // Of the tile's 16-bit words.
  TARL_HOST_DEVICE int low() const { return lane * 8 + part * 2 + odd; }

  // Of the tile's f32s: lanes have four neighbours of maps below 8, then four of the others.
  TARL_HOST_DEVICE int moment() const { return part % 2 * 128 + lane * 4 + part / 2 * 2 + odd; }
};

TARL_HOST_DEVICE inline PackedPlace packed_place(int feature, int unit) {
  const int map = feature % kMaps, place = feature / kMaps;
  const int g = unit % 8, t = map % 8 / 2;
  return {place * kUnitGroups + unit / 16, g * 4 + t, unit % 16 / 8 * 2 + map / 8, map % 2};
}

// Host copies of the three arrays.
struct PackedLayer {
  std::vector<std::uint16_t> high;    // [tile][kTileWeights]
  std::vector<std::byte> rest;        // [tile][kRestBytes]
  std::vector<std::uint16_t> target;  // as high
};

// From and to [feature][unit] f32. Only fp16s of the target are kept.
PackedLayer pack_layer(std::span<const float> weights, std::span<const float> moments,
                       std::span<const float> target);
void unpack_layer(const PackedLayer& packed, std::span<float> weights, std::span<float> moments,
                  std::span<float> target);

// IEEE half precision, to nearest even.
std::uint16_t to_half(float value);
float from_half(std::uint16_t half);

}  // namespace tarl::fleet
