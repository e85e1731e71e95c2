// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tarl/core/host_device.h"
#include "tarl/fleet/minatar_dqn/agent_spec.h"

// The fp16 kernel's layout of the big layer (1024 features to 128 units) in global memory, in
// tensor core order: tiles of 16 features (one position on the board) by 16 units. The fp16 values
// that enter products are stored apart from the data that only the optimiser reads.
//
// A weight consists of an fp16 value, which products use, and 16 low bits: the difference between
// the bit patterns of the f32 weight and of that fp16 value. Together they restore the f32 weight
// exactly where |w| >= 2^-17, and to within 3e-8 below. The second moment is f32.
namespace tarl::fleet {

inline constexpr int kUnits = 128;
inline constexpr int kUnitGroups = kUnits / 16;                // tiles per position
inline constexpr int kPackedTiles = kPositions * kUnitGroups;  // [place][group]
inline constexpr int kTileWeights = 256;
inline constexpr int kHighBytes = kTileWeights * 2;  // a tile's fp16 values
inline constexpr int kRestBytes =
    kTileWeights * 2 + kTileWeights * 4;  // a tile's low bits and moments

// A tile's fp16 values form four matrices of 8 units by 8 maps, 128 bytes each. The forward pass
// reads them along the maps, in chunks of four positions; the backward pass reads them along the
// units.
inline constexpr int kMatrix = 64;
inline constexpr int kChunkPlaces = 4;
inline constexpr int kChunks = kPositions / kChunkPlaces;
inline constexpr int kChunkBytes = kChunkPlaces * kUnitGroups * kHighBytes;

// Where weight (feature, unit) lies. Within a tile, lane 4 g + t holds maps 2t, 2t + 1, 8 + 2t and
// 8 + 2t + 1 of units g and g + 8: part 0 is (g, 2t), part 1 is (g, 8 + 2t), parts 2 and 3 are the
// same for unit g + 8.
struct PackedPlace {
  int tile, lane, part, odd;

  // Index among all fp16 values.
  TARL_HOST_DEVICE int high() const {
    return tile * kTileWeights + part * kMatrix + lane * 2 + odd;
  }

  // Index among the tile's 16-bit words.
  TARL_HOST_DEVICE int low() const { return lane * 8 + part * 2 + odd; }

  // Index among the tile's f32 values: each lane has four neighbours from maps below 8, then four
  // from the others.
  TARL_HOST_DEVICE int moment() const { return part % 2 * 128 + lane * 4 + part / 2 * 2 + odd; }
};

TARL_HOST_DEVICE inline PackedPlace packed_place(int feature, int unit) {
  const int map = feature % kMaps, place = feature / kMaps;
  const int g = unit % 8, t = map % 8 / 2;
  return {place * kUnitGroups + unit / 16, g * 4 + t, unit % 16 / 8 * 2 + map / 8, map % 2};
}

// Host copies of the three device arrays.
struct PackedLayer {
  std::vector<std::uint16_t> high;    // [tile][kTileWeights]
  std::vector<std::byte> rest;        // [tile][kRestBytes]
  std::vector<std::uint16_t> target;  // same layout as high
};

// Conversion from and to f32 weights [feature][unit]. The target keeps fp16 precision only.
PackedLayer pack_layer(std::span<const float> weights, std::span<const float> moments,
                       std::span<const float> target);
void unpack_layer(const PackedLayer& packed, std::span<float> weights, std::span<float> moments,
                  std::span<float> target);

// IEEE half precision, rounded to nearest even.
std::uint16_t to_half(float value);
float from_half(std::uint16_t half);

}  // namespace tarl::fleet
