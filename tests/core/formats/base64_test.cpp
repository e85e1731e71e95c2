// SPDX-License-Identifier: MIT
#include "tarl/core/formats/base64.h"

#include <gtest/gtest.h>

namespace tarl {
namespace {

std::string encoded(const std::string& text) {
  return base64(std::as_bytes(std::span(text)));
}

// RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encoded("\xff\xfe\xfb"), "//77");
}

}  // namespace
}  // namespace tarl
