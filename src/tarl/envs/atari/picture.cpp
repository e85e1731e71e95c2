// SPDX-License-Identifier: MIT
#include "tarl/envs/atari/picture.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "tarl/core/error.h"

namespace tarl::envs::atari {

namespace {

static_assert(std::endian::native == std::endian::little, "neighbours are looked up as one number");

constexpr std::size_t kWord = 8;    // pixels of both screens compared at once
constexpr std::size_t kBlock = 64;  // the same with AVX-512
constexpr std::size_t kColours = 256;

#if defined(__x86_64__)
bool has_byte_permutes() {
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi");
}

// Looks up 64 pixels in a table of 256 bytes. Returns false without doing so if the screens differ.
__attribute__((target("avx512bw,avx512vbmi"))) bool grey_block(const std::uint8_t* first,
                                                               const std::uint8_t* second,
                                                               const std::uint8_t* table,
                                                               std::uint8_t* out) {
  const __m512i pixels = _mm512_loadu_si512(first);
  if (_mm512_cmpneq_epi8_mask(pixels, _mm512_loadu_si512(second)) != 0) return false;
  const __m512i below_128 =
      _mm512_permutex2var_epi8(_mm512_loadu_si512(table), pixels, _mm512_loadu_si512(table + 64));
  const __m512i from_128 = _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), pixels,
                                                    _mm512_loadu_si512(table + 192));
  const __mmask64 high = _mm512_movepi8_mask(pixels);
  _mm512_storeu_si512(out, _mm512_mask_blend_epi8(high, below_128, from_128));
  return true;
}
#else
bool has_byte_permutes() {
  return false;
}

bool grey_block(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*, std::uint8_t*) {
  return false;
}
#endif

}  // namespace

GreyPool::GreyPool(const Palette& palette)
    : palette_(palette),
      of_both_(kColours * kColours),
      of_neighbours_(kColours * kColours),
      permutes_(has_byte_permutes()) {
  for (std::size_t i = 0; i < kColours; ++i) {
    of_one_[i] = grey(palette[i]);
    for (std::size_t j = 0; j < kColours; ++j) {
      const Rgb &a = palette[i], &b = palette[j];
      of_both_[i * kColours + j] =
          grey({std::max(a.red, b.red), std::max(a.green, b.green), std::max(a.blue, b.blue)});
      of_neighbours_[i * kColours + j] = static_cast<std::uint16_t>(grey(a) << 8 | grey(b));
    }
  }
}

void GreyPool::follow(const Palette& palette) {
  if (palette != palette_) *this = GreyPool(palette);
}

void GreyPool::operator()(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second,
                          std::span<std::uint8_t> out) const {
  require(first.size() == out.size() && second.size() == out.size() && out.size() % kWord == 0,
          "pictures of different or odd sizes");
  // Most of a picture is unchanged from one frame to the next; the rest is done word by word.
  for (std::size_t at = 0; at < out.size(); at += kBlock) {
    const std::uint8_t *a = first.data() + at, *b = second.data() + at;
    const std::size_t left = std::min(kBlock, out.size() - at);
    if (permutes_ && left == kBlock && grey_block(a, b, of_one_.data(), out.data() + at)) continue;
    for (std::size_t i = 0; i < left; i += kWord) grey_word(a + i, b + i, out.data() + at + i);
  }
}

void GreyPool::grey_word(const std::uint8_t* first, const std::uint8_t* second,
                         std::uint8_t* out) const {
  std::uint64_t a = 0, b = 0, result = 0;
  std::memcpy(&a, first, kWord);
  std::memcpy(&b, second, kWord);
  if (a == b) {
    for (int shift = 0; shift < 64; shift += 16) {
      result |= std::uint64_t{of_neighbours_[(a >> shift) & 0xFFFF]} << shift;
    }
  } else {
    for (int shift = 0; shift < 64; shift += 8) {
      const std::size_t both = ((a >> shift) & 0xFF) * kColours + ((b >> shift) & 0xFF);
      result |= std::uint64_t{of_both_[both]} << shift;
    }
  }
  std::memcpy(out, &result, kWord);
}

AreaResize::Boxes::Boxes(int in, int out) : share(static_cast<std::size_t>(out)) {
  // In units of common/out input pixels, a box is a whole number of them long.
  const int common = std::gcd(in, out);
  const int pixel = out / common;
  length = in / common;
  require(length <= 256, "shares that do not fit 16 bits");
  for (int index = 0; index < out; ++index) {
    const int from = index * length, to = from + length;
    begin.push_back(std::min(from / pixel, in - kTaps));
    require(to <= (begin.back() + kTaps) * pixel, "a picture that shrinks too much");
    for (int tap = 0; tap < kTaps; ++tap) {
      const int left = (begin.back() + tap) * pixel;
      const int covered = std::min(to, left + pixel) - std::max(from, left);
      share[static_cast<std::size_t>(index)][tap] = static_cast<float>(std::max(covered, 0));
    }
  }
}

AreaResize::AreaResize(int in_height, int in_width, int out_height, int out_width)
    : in_width_(in_width),
      rows_(in_height, out_height),
      columns_(in_width, out_width),
      row_sum_(static_cast<std::size_t>(in_width)),
      average_(static_cast<std::size_t>(out_width)) {
  require(out_width % 4 == 0, "an output width that is no multiple of four");
  const int area = rows_.length * columns_.length;
  require(area < (1 << 13), "shares too fine for single precision");
  const int half = area / 2;  // an integer, like the sums
  half_ = static_cast<float>(half) + 0.5F;
  scale_ = 1.0F / static_cast<float>(area);
}

void AreaResize::operator()(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const std::size_t width = average_.size(), width_in = row_sum_.size();
  require(out.size() == rows_.begin.size() * width, "wrong output size");
  for (std::size_t y = 0; y < rows_.begin.size(); ++y) {
    sum_rows(in.data() + static_cast<std::size_t>(rows_.begin[y]) * width_in, rows_.share[y]);
    average_columns();
    for (std::size_t x = 0; x < width; ++x) {
      out[y * width + x] = static_cast<std::uint8_t>(average_[x]);
    }
  }
}

void AreaResize::sum_rows(const std::uint8_t* in, const Four& share) {
  std::uint16_t weight[kTaps];
  for (int tap = 0; tap < kTaps; ++tap) weight[tap] = static_cast<std::uint16_t>(share[tap]);
  const std::uint8_t *a = in, *b = a + in_width_, *c = b + in_width_, *d = c + in_width_;
  float* sums = row_sum_.data();
  for (int x = 0; x < in_width_; ++x) {
    sums[x] = static_cast<std::uint16_t>(weight[0] * a[x] + weight[1] * b[x] + weight[2] * c[x] +
                                         weight[3] * d[x]);
  }
}

void AreaResize::average_columns() {
  const float* sums = row_sum_.data();
  const int* begin = columns_.begin.data();
  const Four* share = columns_.share.data();
  const Four half = Four{} + half_, scale = Four{} + scale_;
  for (std::size_t x = 0; x < average_.size(); x += 4) {
    // Four boxes, a vector each; then their four sums in one vector.
    Four box[4];
    for (std::size_t i = 0; i < 4; ++i) {
      std::memcpy(&box[i], sums + begin[x + i], sizeof(Four));
      box[i] *= share[x + i];
    }
    const Four ab = __builtin_shufflevector(box[0], box[1], 0, 4, 1, 5) +
                    __builtin_shufflevector(box[0], box[1], 2, 6, 3, 7);
    const Four cd = __builtin_shufflevector(box[2], box[3], 0, 4, 1, 5) +
                    __builtin_shufflevector(box[2], box[3], 2, 6, 3, 7);
    const Four sum =
        __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    const FourIndices average = __builtin_convertvector((sum + half) * scale, FourIndices);
    std::memcpy(average_.data() + x, &average, sizeof average);
  }
}

}  // namespace tarl::envs::atari
