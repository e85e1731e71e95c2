// SPDX-License-Identifier: MIT
#include "tarl/store/segment_repair.h"

#include "support/garbage.h"
#include <gtest/gtest.h>

namespace tarl::store {

namespace {

using Bytes = std::vector<std::byte>;

struct Kept {
  explicit Kept(std::size_t size, std::uint64_t seed = 1) {
    Rng rng = seeded(seed);
    good = test::random_bytes(rng, size);
    // Pieces of odd sizes, as tensors are.
    const std::size_t cut = size / 3;
    const std::span<const std::byte> pieces[] = {
        std::span(good).first(cut), {}, std::span(good).subspan(cut)};
    repair = repair_data(pieces);
  }

  Bytes good, repair;
};

TEST(SegmentRepair, MendsAnyStretchOfSixtyThousandBytesAndAnyCutEnd) {
  Rng rng = seeded(2);
  for (const std::size_t size : {1, 100, 4096, 4097, 30'000, 500'000}) {
    const Kept kept(size);
    for (int trial = 0; trial < 8; ++trial) {
      Bytes damaged = kept.good;
      const std::size_t begin = rng.below(static_cast<std::uint32_t>(size));
      const std::size_t length =
          1 + rng.below(static_cast<std::uint32_t>(std::min<std::size_t>(60'000, size - begin)));
      for (std::size_t i = begin; i < begin + length; ++i) damaged[i] ^= std::byte{0x5A};
      EXPECT_EQ(mended(damaged, kept.repair), kept.good) << size << ": " << length << " bytes";
      Bytes cut = kept.good;
      cut.resize(size - std::min<std::size_t>(size, 1 + rng.below(60'000)));
      EXPECT_EQ(mended(cut, kept.repair), kept.good) << size << " cut to " << cut.size();
    }
    Bytes longer = kept.good;
    longer.resize(size + 12345);
    EXPECT_EQ(mended(longer, kept.repair), kept.good);
  }
}

TEST(SegmentRepair, SaysSoWhereTwoBlocksOfAStripeAreGone) {
  const Kept kept(500'000);
  Bytes damaged = kept.good;
  damaged[0] ^= std::byte{1};
  damaged[16 * 4096] ^= std::byte{1};
  EXPECT_FALSE(mended(damaged, kept.repair));
  damaged[0] ^= std::byte{1};
  EXPECT_EQ(mended(damaged, kept.repair), kept.good);
}

TEST(SegmentRepair, SurvivesGarbage) {
  const Kept kept(100'000);
  test::feed_garbage(kept.repair, 300, [&](const Bytes& repair) { mended(kept.good, repair); });
  test::feed_garbage(kept.good, 100, [&](const Bytes& damaged) { mended(damaged, kept.repair); });
}

}  // namespace

}  // namespace tarl::store
