// SPDX-License-Identifier: MIT
#include "tarl/core/shell_words.h"

#include <gtest/gtest.h>

namespace tarl {
namespace {

TEST(ShellWords, OnlyWhatAShellWouldReadOtherwiseIsQuoted) {
  EXPECT_EQ(shell_line({"tarl", "--set", "net=[8,8]", "a b", "", "it's", "x=1e-3"}),
            "tarl --set 'net=[8,8]' 'a b' '' 'it'\\''s' x=1e-3");
}

}  // namespace
}  // namespace tarl
