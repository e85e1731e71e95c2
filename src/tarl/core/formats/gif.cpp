// SPDX-License-Identifier: MIT
#include "tarl/core/formats/gif.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "tarl/core/error.h"
#include "tarl/core/files.h"
#include "tarl/core/formats/bytes.h"

namespace tarl {

namespace {

constexpr std::size_t kMaxColours = 256;
constexpr int kCubeSide = 6;
constexpr int kCubeStep = 255 / (kCubeSide - 1);
constexpr int kCubeSize = kCubeSide * kCubeSide * kCubeSide;
constexpr int kGreys = static_cast<int>(kMaxColours) - kCubeSize;

using Colour = std::uint32_t;  // 0x00RRGGBB

Colour colour_at(const GifFrame& frame, std::size_t pixel) {
  const std::uint8_t* rgb = frame.rgb.data() + 3 * pixel;
  return Colour{rgb[0]} << 16 | Colour{rgb[1]} << 8 | rgb[2];
}

std::uint8_t grey_level(int index) {
  return static_cast<std::uint8_t>((2 * index + 1) * 255 / (2 * kGreys));
}

// Squared distance of two colours, channel by channel.
int distance(Colour a, Colour b) {
  int sum = 0;
  for (int shift = 0; shift <= 16; shift += 8) {
    const int difference = static_cast<int>(a >> shift & 255) - static_cast<int>(b >> shift & 255);
    sum += difference * difference;
  }
  return sum;
}

// Colours by index, and the index of every colour that occurs.
class Palette {
 public:
  explicit Palette(std::span<const GifFrame> frames) {
    if (!take_exact(frames)) use_cube();
  }

  std::uint8_t index_of(Colour colour) {
    const auto [entry, fresh] = index_.try_emplace(colour, std::uint8_t{0});
    if (fresh) entry->second = nearest(colour);
    return entry->second;
  }

  // Bits of an index: 1 to 8.
  int depth() const {
    int bits = 1;
    while (std::size_t{1} << bits < colours_.size()) ++bits;
    return bits;
  }

  void write(ByteWriter& out) const {
    for (std::size_t i = 0; i < std::size_t{1} << depth(); ++i) {
      const Colour colour = i < colours_.size() ? colours_[i] : 0;
      for (int shift = 16; shift >= 0; shift -= 8) {
        out.put(static_cast<std::uint8_t>(colour >> shift));
      }
    }
  }

 private:
  // False if the frames have more colours than a palette.
  bool take_exact(std::span<const GifFrame> frames) {
    for (const GifFrame& frame : frames) {
      for (std::size_t pixel = 0; pixel < frame.rgb.size() / 3; ++pixel) {
        const Colour colour = colour_at(frame, pixel);
        const auto next = static_cast<std::uint8_t>(colours_.size());
        if (!index_.try_emplace(colour, next).second) continue;
        if (colours_.size() == kMaxColours) return false;
        colours_.push_back(colour);
      }
    }
    return true;
  }

  void use_cube() {
    index_.clear();
    colours_.clear();
    for (int i = 0; i < kCubeSize; ++i) {
      const int red = i / (kCubeSide * kCubeSide), green = i / kCubeSide % kCubeSide;
      const int blue = i % kCubeSide;
      colours_.push_back(static_cast<Colour>((red << 16 | green << 8 | blue) * kCubeStep));
    }
    for (int i = 0; i < kGreys; ++i) colours_.push_back(grey_level(i) * 0x010101U);
  }

  std::uint8_t nearest(Colour colour) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < colours_.size(); ++i) {
      if (distance(colour, colours_[i]) < distance(colour, colours_[best])) best = i;
    }
    return static_cast<std::uint8_t>(best);
  }

  std::vector<Colour> colours_;
  std::unordered_map<Colour, std::uint8_t> index_;
};

// Codes of growing width, packed from the low bit, in blocks of at most 255 bytes.
class CodeWriter {
 public:
  explicit CodeWriter(ByteWriter& out) : out_(&out) {}

  void put(int code, int width) {
    bits_ |= static_cast<std::uint32_t>(code) << held_;
    held_ += width;
    for (; held_ >= 8; held_ -= 8, bits_ >>= 8) put_byte(static_cast<std::uint8_t>(bits_));
  }

  void finish() {
    if (held_ > 0) put_byte(static_cast<std::uint8_t>(bits_));
    flush();
    out_->put(std::uint8_t{0});
  }

 private:
  void put_byte(std::uint8_t byte) {
    block_[filled_++] = static_cast<std::byte>(byte);
    if (filled_ == block_.size()) flush();
  }

  void flush() {
    if (filled_ == 0) return;
    out_->put(static_cast<std::uint8_t>(filled_));
    out_->put_bytes(std::span(block_).first(filled_));
    filled_ = 0;
  }

  ByteWriter* out_;
  std::uint32_t bits_ = 0;
  int held_ = 0;
  std::array<std::byte, 255> block_{};
  std::size_t filled_ = 0;
};

// The LZW of GIF: a dictionary of (prefix code, next index) pairs that starts over at 4096 codes.
void put_lzw(ByteWriter& out, std::span<const std::uint8_t> indices, int depth) {
  constexpr int kMaxCodes = 4096;
  const int code_size = std::max(depth, 2);
  const int clear = 1 << code_size;
  out.put(static_cast<std::uint8_t>(code_size));
  CodeWriter codes(out);
  std::vector<std::int16_t> child;  // [prefix][index]
  int width = 0, next = 0;
  const auto start_over = [&] {
    child.assign(std::size_t{kMaxCodes} << code_size, -1);
    width = code_size + 1;
    next = clear + 2;
  };
  start_over();
  codes.put(clear, width);
  int prefix = indices[0];
  for (const std::uint8_t index : indices.subspan(1)) {
    std::int16_t& known = child[(static_cast<std::size_t>(prefix) << code_size) + index];
    if (known >= 0) {
      prefix = known;
      continue;
    }
    codes.put(prefix, width);
    if (next == kMaxCodes) {
      codes.put(clear, width);
      start_over();
    } else {
      known = static_cast<std::int16_t>(next);
      if (next++ == 1 << width) ++width;
    }
    prefix = index;
  }
  codes.put(prefix, width);
  // The decoder learns one more code from the last one, which may widen the next.
  if (next == 1 << width && width < 12) ++width;
  codes.put(clear + 1, width);
  codes.finish();
}

struct Rectangle {
  int left, top, right, bottom;  // right and bottom are excluded
};

// What differs between two frames; one pixel if nothing does, since a frame cannot be empty.
Rectangle changed(const GifFrame& before, const GifFrame& now) {
  Rectangle box{now.width, now.height, 0, 0};
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      const auto pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(now.width) +
                         static_cast<std::size_t>(x);
      if (colour_at(before, pixel) == colour_at(now, pixel)) continue;
      box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x + 1),
             std::max(box.bottom, y + 1)};
    }
  }
  return box.right == 0 ? Rectangle{0, 0, 1, 1} : box;
}

void put_frame(ByteWriter& out, const GifFrame& frame, const Rectangle& box, Palette& palette,
               int delay_ms) {
  out.put_text("\x21\xF9\x04");
  out.put(std::uint8_t{1 << 2});  // leave the picture in place for the next frame
  out.put(static_cast<std::uint16_t>(std::clamp((delay_ms + 5) / 10, 2, 65535)));
  out.put(std::uint16_t{0});  // no transparent colour, end of block
  out.put_text("\x2C");
  for (const int value : {box.left, box.top, box.right - box.left, box.bottom - box.top}) {
    out.put(static_cast<std::uint16_t>(value));
  }
  out.put(std::uint8_t{0});  // the common palette
  std::vector<std::uint8_t> indices;
  for (int y = box.top; y < box.bottom; ++y) {
    for (int x = box.left; x < box.right; ++x) {
      const auto pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(frame.width) +
                         static_cast<std::size_t>(x);
      indices.push_back(palette.index_of(colour_at(frame, pixel)));
    }
  }
  put_lzw(out, indices, palette.depth());
}

}  // namespace

std::vector<std::byte> encode_gif(std::span<const GifFrame> frames, int delay_ms) {
  require(!frames.empty(), "a gif needs a frame");
  const int width = frames[0].width, height = frames[0].height;
  require(width >= 1 && height >= 1 && width <= 65535 && height <= 65535, "gif frame size");
  for (const GifFrame& frame : frames) {
    require(frame.width == width && frame.height == height &&
                frame.rgb.size() == std::size_t{3} * static_cast<std::size_t>(width) *
                                        static_cast<std::size_t>(height),
            "gif frames differ in size");
  }
  Palette palette(frames);
  ByteWriter out;
  out.put_text("GIF89a");
  out.put(static_cast<std::uint16_t>(width));
  out.put(static_cast<std::uint16_t>(height));
  out.put(static_cast<std::uint8_t>(0xF0 | (palette.depth() - 1)));  // 8 bits a channel, palette
  out.put(std::uint16_t{0});                                         // background, aspect
  palette.write(out);
  out.put_text("\x21\xFF\x0BNETSCAPE2.0\x03\x01");
  out.put(std::uint16_t{0});  // forever
  out.put(std::uint8_t{0});
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Rectangle box =
        i == 0 ? Rectangle{0, 0, width, height} : changed(frames[i - 1], frames[i]);
    put_frame(out, frames[i], box, palette, delay_ms);
  }
  out.put_text("\x3B");
  return out.take();
}

void save_gif(const std::filesystem::path& path, std::span<const GifFrame> frames, int delay_ms) {
  write_file_durably(path, encode_gif(frames, delay_ms));
}

}  // namespace tarl
