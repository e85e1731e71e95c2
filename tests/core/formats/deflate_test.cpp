// SPDX-License-Identifier: MIT
#include "tarl/core/formats/deflate.h"

#include <algorithm>
#include <string>

#include "support/garbage.h"
#include <gtest/gtest.h>

#include "tarl/core/rng.h"

namespace tarl {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::vector<std::byte> noise(std::size_t count, int values) {
  Rng rng = seeded(1);
  std::vector<std::byte> bytes(count);
  for (std::byte& one : bytes) {
    one = static_cast<std::byte>(rng.uniform() * rng.uniform() * values);
  }
  return bytes;
}

// What zlib makes of them: blocks that are stored, with fixed codes, and with codes of their own.
TEST(Inflate, ReadsEveryKindOfBlock) {
  EXPECT_EQ(inflate(from_hex("010300fcff616263"), 3), bytes_of("abc"));
  EXPECT_EQ(inflate(from_hex("4b4c4a4e842100"), 12), bytes_of("abcabcabcabc"));
  std::string text;
  for (int i = 0; i < 900; ++i) text += static_cast<char>('a' + (i * i / 7 + i / 3) % 4);
  EXPECT_EQ(inflate(from_hex("ed8c511500400883b2b2ad7f8623c205d02fd02740c7b20627293255a30c"
                             "d945e57a9283dace935cd4293ed68e3aae79cd6b7e371f"),
                    text.size()),
            bytes_of(text));
}

TEST(Inflate, RefusesWhatIsCutLongerOrOfAnotherLength) {
  const std::vector<std::byte> text = noise(3000, 50);
  const std::vector<std::byte> good = deflate(text);
  ASSERT_EQ(inflate(good, text.size()), text);
  EXPECT_FALSE(inflate(good, text.size() - 1));
  EXPECT_FALSE(inflate(good, text.size() + 1));
  EXPECT_FALSE(inflate(good, std::size_t{1} << 62));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(inflate(std::span(good).first(size), text.size())) << size;
  }
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(inflate(longer, text.size()));
}

TEST(Inflate, SurvivesGarbage) {
  const std::vector<std::byte> text = noise(300, 20);
  test::feed_garbage(deflate(text), 20'000,
                     [&](const auto& bytes) { inflate(bytes, text.size()); });
}

TEST(Deflate, IsReadBackAndTheSameEveryTime) {
  const std::string far = std::string(200, 'x') + "the needle" + std::string(40'000, 'y');
  for (const std::vector<std::byte>& bytes :
       {bytes_of(""), bytes_of("a"), bytes_of("aa"), bytes_of("aaaa"),
        std::vector<std::byte>(100'000), noise(200'000, 256), noise(200'000, 4),
        bytes_of(repeated("0.25,0.5,0.125\n", 5000)), bytes_of(far + "the needle")}) {
    const std::vector<std::byte> packed = deflate(bytes);
    EXPECT_EQ(inflate(packed, bytes.size()), bytes) << bytes.size();
    EXPECT_EQ(deflate(bytes), packed);
  }
}

TEST(Deflate, FindsWhatRepeatsAndWhatIsFrequent) {
  EXPECT_LT(deflate(std::vector<std::byte>(100'000)).size(), 200U);
  EXPECT_LT(deflate(bytes_of(repeated("0.25,0.5,0.125\n", 5000))).size(), 500U);
  EXPECT_LT(deflate(noise(100'000, 4)).size(), 25'000U);  // two bits each at most
  EXPECT_LT(deflate(noise(100'000, 256)).size(), 101'000U);
}

// Counts like Fibonacci's make the deepest trees.
TEST(Deflate, KeepsCodesShortEnough) {
  std::vector<std::byte> bytes;
  std::size_t count = 1, before = 1;
  for (int symbol = 0; symbol < 24; ++symbol) {
    bytes.insert(bytes.end(), count, static_cast<std::byte>(symbol * 7));
    before = std::exchange(count, count + before);
  }
  Rng rng = seeded(2);
  for (std::size_t i = bytes.size(); i-- > 1;) {
    std::swap(bytes[i], bytes[static_cast<std::size_t>(rng.uniform() * static_cast<double>(i))]);
  }
  EXPECT_EQ(inflate(deflate(bytes), bytes.size()), bytes);
}

}  // namespace
}  // namespace tarl
