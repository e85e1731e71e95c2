// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace tarl {

struct GifFrame {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // height x width x 3
};

// An animated GIF89a that loops forever. Up to 256 different colours over all frames are kept
// exactly; with more, each pixel takes the nearest of a 6x6x6 colour cube and 40 greys. A frame
// stores only the rectangle that changed. The delay is rounded to the format's 10 ms, and is at
// least 20 ms: viewers slow shorter ones down to 100 ms. Requires frames of one size, each side
// from 1 to 65535.
std::vector<std::byte> encode_gif(std::span<const GifFrame> frames, int delay_ms);

void save_gif(const std::filesystem::path& path, std::span<const GifFrame> frames, int delay_ms);

}  // namespace tarl
