// SPDX-License-Identifier: MIT
#include "tarl/deploy/protobuf.h"

#include <gtest/gtest.h>

namespace tarl::deploy {
namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}

// The examples in the format's own description.
TEST(ProtoMessage, HasTheBytesOfTheFormat) {
  EXPECT_EQ(ProtoMessage().add(1, 150).bytes(), bytes({0x08, 0x96, 0x01}));
  EXPECT_EQ(ProtoMessage().add(2, "testing").bytes(), bytes({0x12, 0x07}) + "testing");
  EXPECT_EQ(ProtoMessage().add(3, ProtoMessage().add(1, 150)).bytes(),
            bytes({0x1a, 0x03, 0x08, 0x96, 0x01}));
}

TEST(ProtoMessage, NumbersTakeAsManyBytesAsTheyNeed) {
  EXPECT_EQ(ProtoMessage().add(1, std::int64_t{0}).bytes(), bytes({0x08, 0x00}));
  EXPECT_EQ(ProtoMessage().add(1, 127).bytes(), bytes({0x08, 0x7f}));
  EXPECT_EQ(ProtoMessage().add(1, 128).bytes(), bytes({0x08, 0x80, 0x01}));
  EXPECT_EQ(ProtoMessage().add(1, -1).bytes(),
            bytes({0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
  EXPECT_EQ(ProtoMessage().add(20, 1).bytes(), bytes({0xa0, 0x01, 0x01}));  // a field beyond 15
}

TEST(ProtoMessage, TextOfAnyLengthAndWithAnyByte) {
  EXPECT_EQ(ProtoMessage().add(1, "").bytes(), bytes({0x0a, 0x00}));
  const std::string text(300, '\0');
  EXPECT_EQ(ProtoMessage().add(1, text).bytes(), bytes({0x0a, 0xac, 0x02}) + text);
}

}  // namespace
}  // namespace tarl::deploy
