// SPDX-License-Identifier: MIT
#include "tarl/core/formats/gif.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace tarl {

namespace {

// A decoder written from the format's description, independent of the encoder.
class Decoder {
 public:
  explicit Decoder(const std::vector<std::byte>& bytes) : bytes_(bytes) {}

  std::vector<GifFrame> frames;
  std::vector<int> delays;
  std::vector<int> areas;  // pixels stored for each frame
  bool loops = false;

  void run() {
    if (text(6) != "GIF89a") throw std::runtime_error("signature");
    GifFrame canvas{number(2), number(2), {}};
    canvas.rgb.resize(static_cast<std::size_t>(3 * canvas.width * canvas.height));
    const int flags = number(1);
    number(2);
    for (int i = 0; i < 3 << ((flags & 7) + 1); ++i) palette_.push_back(number(1));
    for (int kind = number(1); kind != 0x3B; kind = number(1)) {
      if (kind == 0x21) {
        extension();
      } else if (kind == 0x2C) {
        image(canvas);
      } else {
        throw std::runtime_error("block");
      }
    }
    if (at_ != bytes_.size()) throw std::runtime_error("bytes after the end");
  }

 private:
  int number(int size) {
    int value = 0;
    for (int i = 0; i < size; ++i) value |= static_cast<int>(bytes_.at(at_++)) << (8 * i);
    return value;
  }

  std::string text(int size) {
    std::string out;
    for (int i = 0; i < size; ++i) out += static_cast<char>(number(1));
    return out;
  }

  std::vector<int> blocks() {
    std::vector<int> data;
    for (int size = number(1); size > 0; size = number(1)) {
      for (int i = 0; i < size; ++i) data.push_back(number(1));
    }
    return data;
  }

  void extension() {
    const int label = number(1);
    const std::vector<int> data = blocks();
    if (label == 0xF9) delays.push_back(data.at(1) | data.at(2) << 8);
    if (label == 0xFF) {
      loops = std::string(data.begin(), data.begin() + 11) == "NETSCAPE2.0" && data.at(12) == 0 &&
              data.at(13) == 0;
    }
  }

  void image(GifFrame& canvas) {
    const int left = number(2), top = number(2), width = number(2), height = number(2);
    if (number(1) != 0) throw std::runtime_error("local palette or interlace");
    const int code_size = number(1);
    const std::vector<int> pixels = unpack(blocks(), code_size);
    if (static_cast<int>(pixels.size()) != width * height) throw std::runtime_error("pixel count");
    for (int i = 0; i < width * height; ++i) {
      const int x = left + i % width, y = top + i / width;
      for (int c = 0; c < 3; ++c) {
        canvas.rgb.at(static_cast<std::size_t>(3 * (y * canvas.width + x) + c)) =
            static_cast<std::uint8_t>(
                palette_.at(static_cast<std::size_t>(3 * pixels[static_cast<std::size_t>(i)] + c)));
      }
    }
    frames.push_back(canvas);
    areas.push_back(width * height);
  }

  static std::vector<int> unpack(const std::vector<int>& data, int code_size) {
    std::vector<int> out;
    std::vector<std::vector<int>> table;
    const int clear = 1 << code_size;
    int width = code_size + 1;
    std::vector<int> previous;
    std::size_t bit = 0;
    while (true) {
      int code = 0;
      for (int i = 0; i < width; ++i, ++bit) {
        code |= (data.at(bit / 8) >> (bit % 8) & 1) << i;
      }
      if (code == clear + 1) return out;
      if (code == clear) {
        table.assign(static_cast<std::size_t>(clear + 2), {});
        for (int i = 0; i < clear; ++i) table[static_cast<std::size_t>(i)] = {i};
        width = code_size + 1;
        previous.clear();
        continue;
      }
      std::vector<int> entry;
      if (code < static_cast<int>(table.size())) {
        entry = table[static_cast<std::size_t>(code)];
      } else {
        entry = previous;
        entry.push_back(previous.at(0));
      }
      if (!previous.empty() && table.size() < 4096) {
        previous.push_back(entry.at(0));
        table.push_back(previous);
        if (static_cast<int>(table.size()) == 1 << width && width < 12) ++width;
      }
      out.insert(out.end(), entry.begin(), entry.end());
      previous = entry;
    }
  }

  const std::vector<std::byte>& bytes_;
  std::size_t at_ = 0;
  std::vector<int> palette_;
};

// Frames of `colours` colours in random places.
std::vector<GifFrame> noise(int width, int height, std::uint32_t colours, int count) {
  Rng rng = seeded(colours);
  std::vector<GifFrame> frames;
  for (int i = 0; i < count; ++i) {
    GifFrame frame{width, height, {}};
    for (int pixel = 0; pixel < width * height; ++pixel) {
      const std::uint32_t colour = rng.below(colours);
      frame.rgb.push_back(static_cast<std::uint8_t>(colour));
      frame.rgb.push_back(static_cast<std::uint8_t>(colour * 7));
      frame.rgb.push_back(static_cast<std::uint8_t>(colour >> 8));
    }
    frames.push_back(frame);
  }
  return frames;
}

class GifOf : public testing::TestWithParam<std::uint32_t> {};

INSTANTIATE_TEST_SUITE_P(Colours, GifOf, testing::Values(1U, 2U, 3U, 4U, 5U, 16U, 17U, 256U));

TEST_P(GifOf, KeepsUpTo256ColoursExactly) {
  // Large enough for the dictionary to start over.
  const auto frames = noise(130, 90, GetParam(), 3);
  const auto bytes = encode_gif(frames, 40);
  Decoder decoder(bytes);
  decoder.run();
  ASSERT_EQ(decoder.frames.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(decoder.frames[i].rgb, frames[i].rgb) << i;
  EXPECT_EQ(decoder.delays, (std::vector<int>{4, 4, 4}));
  EXPECT_TRUE(decoder.loops);
}

TEST(Gif, EveryLengthOfDataEndsWell) {
  for (int width = 1; width < 200; ++width) {
    const auto frames = noise(width, 3, 4, 1);
    const auto bytes = encode_gif(frames, 20);
    Decoder decoder(bytes);
    decoder.run();
    ASSERT_EQ(decoder.frames.at(0).rgb, frames[0].rgb) << width;
  }
}

TEST(Gif, TakesTheNearestOfAFixedPaletteForMoreColours) {
  const auto frames = noise(64, 64, 40'000, 2);
  const auto bytes = encode_gif(frames, 100);
  Decoder decoder(bytes);
  decoder.run();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (std::size_t k = 0; k < frames[i].rgb.size(); ++k) {
      // Half of the cube's step of 51, or a grey that is nearer over all three channels.
      ASSERT_LE(std::abs(decoder.frames[i].rgb[k] - frames[i].rgb[k]), 45);
    }
  }
}

TEST(Gif, StoresOnlyWhatChanged) {
  auto frames = noise(20, 10, 8, 1);
  frames.push_back(frames[0]);
  frames.push_back(frames[0]);
  for (const int pixel : {3 * 20 + 4, 5 * 20 + 6}) {
    for (int c = 0; c < 3; ++c) frames[2].rgb[static_cast<std::size_t>(3 * pixel + c)] ^= 0xFF;
  }
  const auto bytes = encode_gif(frames, 3);
  Decoder decoder(bytes);
  decoder.run();
  EXPECT_EQ(decoder.areas, (std::vector<int>{200, 1, 9}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(decoder.frames[i].rgb, frames[i].rgb) << i;
  EXPECT_EQ(decoder.delays, (std::vector<int>{2, 2, 2}));
}

TEST(Gif, RefusesFramesThatDoNotFit) {
  auto frames = noise(4, 4, 2, 2);
  frames[1].width = 5;
  EXPECT_THROW(encode_gif(frames, 20), std::logic_error);
  EXPECT_THROW(encode_gif({}, 20), std::logic_error);
}

}  // namespace

}  // namespace tarl
