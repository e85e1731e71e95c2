// SPDX-License-Identifier: MIT
#include "tarl/replay/frame_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tarl/core/error.h"
#include "tarl/replay/frame_token.h"

namespace tarl::replay {

namespace {

using Token = FrameToken;

constexpr std::size_t kMostFresh = 255, kFarthest = 65535;
constexpr std::size_t kShortest = 6;  // the shortest repeat that pays for a token
constexpr std::size_t kWord = 8;

static_assert(std::endian::native == std::endian::little, "bytes of words are counted from below");

template <class Word>
Word word_at(const std::byte* at) {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

Token token_at(const std::byte* at) {
  return Token::at(reinterpret_cast<const unsigned char*>(at));
}

// How many of `most` bytes at `a` and `b` agree.
std::size_t agreeing(const std::byte* a, const std::byte* b, std::size_t most) {
  std::size_t count = 0;
  for (; count + kWord <= most; count += kWord) {
    const auto differing = word_at<std::uint64_t>(a + count) ^ word_at<std::uint64_t>(b + count);
    if (differing != 0) return count + static_cast<std::size_t>(std::countr_zero(differing)) / 8;
  }
  while (count < most && a[count] == b[count]) ++count;
  return count;
}

// If source and destination overlap, the copy repeats itself.
void copy_repeat(std::byte* to, std::size_t distance, std::size_t count) {
  if (distance == 1) {
    std::memset(to, std::to_integer<int>(to[-1]), count);
    return;
  }
  const std::byte* from = to - distance;
  for (std::size_t step = distance; count > 0;) {
    const std::size_t now = std::min(step, count);
    std::memcpy(to, from, now);
    to += now;
    count -= now;
    step = static_cast<std::size_t>(to - from);
  }
}

}  // namespace

FrameCodec::FrameCodec(std::size_t bytes) : bytes_(bytes), last_() {
  require(bytes > 0 && bytes <= kFarthest, "pictures of 1 to 65535 bytes");
}

// Where the four bytes at `at` occurred last, or `at`.
std::size_t FrameCodec::find_repeat(const std::byte* picture, std::size_t at) {
  const auto word = word_at<std::uint32_t>(picture + at);
  std::uint32_t& entry = last_[word * 2654435761U >> 20];
  const std::size_t found = entry;
  entry = static_cast<std::uint32_t>(at);
  return found < at && word_at<std::uint32_t>(picture + found) == word ? found : at;
}

void FrameCodec::put(std::span<const std::byte> fresh, std::size_t repeat, std::size_t distance) {
  do {
    const std::size_t now = std::min(fresh.size(), kMostFresh);
    const bool last = now == fresh.size();
    const std::size_t length = last ? repeat : 0, back = last ? distance : 0;
    const Token token = Token::of(now, length, back);
    const std::size_t end = packed_.size();
    packed_.resize(end + sizeof token + now);
    std::memcpy(packed_.data() + end, &token, sizeof token);
    if (now > 0) std::memcpy(packed_.data() + end + sizeof token, fresh.data(), now);
    fresh = fresh.subspan(now);
  } while (!fresh.empty());
}

std::span<const std::byte> FrameCodec::pack(const std::byte* picture) {
  packed_.clear();
  last_.fill(0);
  std::size_t written = 0, at = 1;
  while (at + kShortest < bytes_) {
    const std::size_t found = find_repeat(picture, at);
    const std::size_t repeat =
        found < at ? agreeing(picture + found, picture + at, bytes_ - at) : 0;
    if (repeat < kShortest) {
      ++at;
      continue;
    }
    put({picture + written, at - written}, repeat, at - found);
    at += repeat;
    written = at;
  }
  if (written < bytes_) put({picture + written, bytes_ - written}, 0, 0);
  return packed_;
}

void FrameCodec::unpack(std::span<const std::byte> packed, std::byte* picture) const {
  const std::byte* const end = packed.data() + packed.size();
  for (const std::byte* at = packed.data(); at < end;) {
    const Token token = token_at(at);
    at += sizeof token;
    std::memcpy(picture, at, token.fresh);
    picture += token.fresh;
    at += token.fresh;
    copy_repeat(picture, token.distance(), token.repeat());
    picture += token.repeat();
  }
}

bool FrameCodec::fits(std::span<const std::byte> packed) const {
  std::size_t filled = 0;
  while (packed.size() >= sizeof(Token)) {
    const Token token = token_at(packed.data());
    if (packed.size() - sizeof token < token.fresh) return false;
    packed = packed.subspan(sizeof token + token.fresh);
    filled += token.fresh;
    if (token.repeat() > 0 && (token.distance() == 0 || token.distance() > filled)) return false;
    filled += token.repeat();
  }
  return packed.empty() && filled == bytes_;
}

}  // namespace tarl::replay
