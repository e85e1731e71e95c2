// SPDX-License-Identifier: MIT
#include "tarl/replay/frame_codec.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace tarl::replay {

namespace {

using Bytes = std::vector<std::byte>;

constexpr int kSide = 84;
constexpr std::size_t kPicture = std::size_t{kSide} * kSide;

Bytes noise(std::size_t size, Rng& rng) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng.below(256));
  return bytes;
}

// A ground of bands with some bricks on it.
Bytes game_picture(Rng& rng) {
  Bytes bytes(kPicture);
  for (std::size_t i = 0; i < kPicture; ++i) bytes[i] = static_cast<std::byte>(i / kSide / 20 * 40);
  for (int brick = 0; brick < 30; ++brick) {
    const std::size_t at = rng.below(78) * kSide + rng.below(78);
    for (std::size_t y = 0; y < 6; ++y) {
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at + y * kSide), 6,
                  static_cast<std::byte>(200 + brick));
    }
  }
  return bytes;
}

void expect_unchanged(FrameCodec& codec, const Bytes& picture) {
  const std::span<const std::byte> view = codec.pack(picture.data());
  const Bytes packed(view.begin(), view.end());
  ASSERT_TRUE(codec.fits(packed));
  Bytes back(picture.size(), std::byte{0xAA});
  codec.unpack(packed, back.data());
  ASSERT_EQ(back, picture);
}

TEST(FrameCodec, GivesEveryPictureBack) {
  Rng rng = seeded(1);
  FrameCodec codec(kPicture);
  for (int i = 0; i < 50; ++i) expect_unchanged(codec, game_picture(rng));
  for (int i = 0; i < 10; ++i) expect_unchanged(codec, noise(kPicture, rng));
  for (int level = 0; level < 256; level += 51) {
    expect_unchanged(codec, Bytes(kPicture, static_cast<std::byte>(level)));
  }
  // Few values, hence short repeats at every distance.
  for (int i = 0; i < 50; ++i) {
    Bytes bytes = noise(kPicture, rng);
    for (std::byte& byte : bytes) byte &= static_cast<std::byte>(i % 4);
    expect_unchanged(codec, bytes);
  }
}

TEST(FrameCodec, HandlesEverySize) {
  Rng rng = seeded(2);
  for (std::size_t size = 1; size < 700; ++size) {
    FrameCodec codec(size);
    expect_unchanged(codec, noise(size, rng));
    expect_unchanged(codec, Bytes(size));
  }
  FrameCodec largest(65535);
  expect_unchanged(largest, Bytes(65535, std::byte{7}));
  EXPECT_THROW(FrameCodec(65536), std::logic_error);
}

TEST(FrameCodec, ShrinksPicturesOfGamesAndHardlyGrowsNoise) {
  Rng rng = seeded(3);
  FrameCodec codec(kPicture);
  EXPECT_LT(codec.pack(game_picture(rng).data()).size(), kPicture / 4);
  EXPECT_LT(codec.pack(Bytes(kPicture).data()).size(), 20U);
  EXPECT_LT(codec.pack(noise(kPicture, rng).data()).size(), kPicture * 103 / 100);
}

TEST(FrameCodec, KnowsBytesThatWouldWriteElsewhere) {
  Rng rng = seeded(4);
  FrameCodec codec(kPicture);
  const std::span<const std::byte> view = codec.pack(game_picture(rng).data());
  const Bytes packed(view.begin(), view.end());
  EXPECT_FALSE(codec.fits({}));
  EXPECT_FALSE(codec.fits(std::span(packed).first(packed.size() - 1)));
  EXPECT_FALSE(FrameCodec(kPicture - 1).fits(packed));
  for (int i = 0; i < 5000; ++i) {
    Bytes damaged = packed;
    damaged[rng.below(static_cast<std::uint32_t>(damaged.size()))] =
        static_cast<std::byte>(rng.below(256));
    if (!codec.fits(damaged)) continue;
    Bytes back(kPicture);  // exactly one picture: a sanitizer sees what goes beyond
    codec.unpack(damaged, back.data());
  }
}

}  // namespace

}  // namespace tarl::replay
