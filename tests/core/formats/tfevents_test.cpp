// SPDX-License-Identifier: MIT
#include "tarl/core/formats/tfevents.h"

#include <cmath>
#include <limits>

#include "support/errors.h"
#include "support/garbage.h"
#include <gtest/gtest.h>

namespace tarl {

namespace {

std::vector<std::byte> example() {
  std::vector<std::byte> file = encode_event_header(1000);
  for (const std::int64_t step : {0LL, 300LL, 5'000'000'000LL}) {
    const Scalar scalars[] = {{"train/loss", 0.5 + static_cast<double>(step)}, {"eval/mean", -1}};
    const auto record = encode_scalars(1000, step, scalars);
    file.insert(file.end(), record.begin(), record.end());
  }
  return file;
}

// The first record of any event file TensorFlow writes, at wall_time 0.
TEST(Tfevents, WritesTheKnownBytesOfTheFirstRecord) {
  const unsigned char expected[] = {0x18, 0,   0,   0,   0,   0,   0,   0,   0xa3, 0x7f, 0x4b, 0x22,
                                    0x09, 0,   0,   0,   0,   0,   0,   0,   0,    0x1a, 0x0d, 'b',
                                    'r',  'a', 'i', 'n', '.', 'E', 'v', 'e', 'n',  't',  ':',  '2'};
  const auto record = encode_event_header(0);
  ASSERT_EQ(record.size(), sizeof expected + 4);
  for (std::size_t i = 0; i < sizeof expected; ++i) {
    EXPECT_EQ(static_cast<unsigned char>(record[i]), expected[i]) << i;
  }
}

TEST(Tfevents, ReadsBackWhatWasWritten) {
  const auto events = decode_events(example(), "file");
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[0].wall_time, 1000);
  EXPECT_EQ(events[2].step, 300);
  EXPECT_EQ(events[2].wall_time, 1300);
  EXPECT_EQ(events[2].scalars, (std::vector<Scalar>{{"train/loss", 300.5}, {"eval/mean", -1}}));
  EXPECT_EQ(events[3].step, 5'000'000'000);
}

TEST(Tfevents, KeepsWhatIsNotFinite) {
  const Scalar scalars[] = {{"a", std::nan("")}, {"b", std::numeric_limits<double>::infinity()}};
  const auto events = decode_events(encode_scalars(0, 1, scalars), "file");
  EXPECT_TRUE(std::isnan(events[0].scalars[0].second));
  EXPECT_TRUE(std::isinf(events[0].scalars[1].second));
}

TEST(Tfevents, NoticesEveryChangedByte) {
  const auto good = example();
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bytes = good;
    bytes[i] ^= std::byte{0x10};
    EXPECT_NE(test::error_of([&] { decode_events(bytes, "file"); }).find("bad record at byte"),
              std::string::npos)
        << i;
  }
}

TEST(Tfevents, SurvivesGarbage) {
  test::feed_garbage(example(), 20'000, [](const auto& bytes) { decode_events(bytes, "garbage"); });
}

}  // namespace

}  // namespace tarl
