// SPDX-License-Identifier: MIT
#include "tarl/core/formats/deflate.h"

#include <algorithm>
#include <array>
#include <queue>

#include "tarl/core/formats/deflate_tables.h"

namespace tarl {

namespace {

using namespace deflate_format;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kBlockTokens = 1 << 16;
constexpr std::size_t kHashes = 1 << 15;
constexpr int kMostTried = 128;  // earlier places that a match is looked for at
constexpr std::uint32_t kNowhere = ~0U;

// A byte, or a match: so many bytes from so far back.
struct Token {
  std::uint16_t length = 0;  // 0: a byte
  std::uint16_t value = 0;   // the byte, or the distance less one
};

class BitWriter {
 public:
  void put(std::uint32_t bits, int count) {
    buffer_ |= std::uint64_t{bits} << filled_;
    for (filled_ += count; filled_ >= 8; filled_ -= 8, buffer_ >>= 8) {
      bytes_.push_back(static_cast<std::byte>(buffer_ & 0xFF));
    }
  }

  std::vector<std::byte> finish() {
    if (filled_ > 0) put(0, 8 - filled_);
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
  std::uint64_t buffer_ = 0;
  int filled_ = 0;
};

// Finds earlier occurrences of what comes next: all places with the same next three bytes, linked
// from the newest to the oldest.
class Matcher {
 public:
  explicit Matcher(std::span<const std::byte> bytes)
      : bytes_(bytes), newest_(kHashes, kNowhere), before_(bytes.size(), kNowhere) {}

  void add(std::size_t at) {
    if (at + kShortestMatch > bytes_.size()) return;
    std::uint32_t& newest = newest_[hash(at)];
    before_[at] = newest;
    newest = static_cast<std::uint32_t>(at);
  }

  // The longest of the matches tried, of these the nearest.
  Token longest(std::size_t at) const {
    Token best{0, std::to_integer<std::uint16_t>(bytes_[at])};
    if (at + kShortestMatch > bytes_.size()) return best;
    const std::size_t most = std::min<std::size_t>(kLongestMatch, bytes_.size() - at);
    std::uint32_t place = newest_[hash(at)];
    for (int tried = 0; tried < kMostTried && place != kNowhere; ++tried, place = before_[place]) {
      if (at - place > kWindow) break;
      std::size_t length = 0;
      while (length < most && bytes_[place + length] == bytes_[at + length]) ++length;
      if (length < kShortestMatch || length <= best.length) continue;
      best = {static_cast<std::uint16_t>(length), static_cast<std::uint16_t>(at - place - 1)};
      if (length == most) break;
    }
    return best;
  }

 private:
  std::size_t hash(std::size_t at) const {
    std::uint32_t key = 0;
    for (std::size_t i = 0; i < kShortestMatch; ++i) {
      key = key << 8 | std::to_integer<std::uint32_t>(bytes_[at + i]);
    }
    return key * 2654435761U >> 17;
  }

  std::span<const std::byte> bytes_;
  std::vector<std::uint32_t> newest_, before_;
};

// A match is put off by a byte where that gives a longer one.
std::vector<Token> tokens_of(std::span<const std::byte> bytes) {
  std::vector<Token> tokens;
  Matcher matcher(bytes);
  std::size_t at = 0;
  while (at < bytes.size()) {
    Token token = matcher.longest(at);
    matcher.add(at);
    if (token.length > 0 && at + 1 < bytes.size() &&
        matcher.longest(at + 1).length > token.length) {
      token = {0, std::to_integer<std::uint16_t>(bytes[at])};
    }
    tokens.push_back(token);
    for (const std::size_t end = at + std::max<std::size_t>(1, token.length); ++at < end;) {
      matcher.add(at);
    }
  }
  return tokens;
}

// Depths of the leaves of a Huffman tree; 0 for what does not occur. Ties go by order of making.
std::vector<std::uint8_t> tree_depths(std::span<const std::uint64_t> counts) {
  using Item = std::pair<std::uint64_t, std::size_t>;  // count, node
  std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
  std::vector<std::size_t> parent(counts.size(), 0);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) open.emplace(counts[i], i);
  }
  while (open.size() > 1) {
    const Item a = open.top();
    open.pop();
    const Item b = open.top();
    open.pop();
    parent[a.second] = parent[b.second] = parent.size();
    open.emplace(a.first + b.first, parent.size());
    parent.push_back(0);
  }
  std::vector<std::uint8_t> depth(parent.size(), 0);
  for (std::size_t i = parent.size(); i-- > 0;) {
    if (parent[i] != 0) depth[i] = static_cast<std::uint8_t>(depth[parent[i]] + 1);
  }
  depth.resize(counts.size());
  return depth;
}

// Lengths of codes, none longer than `longest`: where the tree is deeper, differences in how often
// symbols occur are halved until it is not.
std::vector<std::uint8_t> code_lengths(std::vector<std::uint64_t> counts, int longest) {
  const auto used = std::count_if(counts.begin(), counts.end(), [](auto n) { return n > 0; });
  if (used < 2) {  // one code would have no bits; decoders want two
    for (std::size_t i = 0, missing = 2 - static_cast<std::size_t>(used); missing > 0; ++i) {
      if (counts[i] > 0) continue;
      counts[i] = 1;
      --missing;
    }
  }
  for (;;) {
    std::vector<std::uint8_t> depths = tree_depths(counts);
    if (*std::max_element(depths.begin(), depths.end()) <= longest) return depths;
    for (std::uint64_t& count : counts) count = (count + 1) / 2;
  }
}

// Codes of one alphabet, their first bit lowest, as they are written.
struct Encoder {
  std::vector<std::uint8_t> length;
  std::vector<std::uint32_t> code;

  explicit Encoder(std::vector<std::uint8_t> lengths) : length(std::move(lengths)) {
    code.resize(length.size());
    std::uint32_t next = 0;
    for (int bits = 1; bits <= kLongestCode; ++bits, next *= 2) {
      for (std::size_t symbol = 0; symbol < length.size(); ++symbol) {
        if (length[symbol] != bits) continue;
        for (int i = 0; i < bits; ++i) code[symbol] |= (next >> i & 1) << (bits - 1 - i);
        ++next;
      }
    }
  }

  void put(BitWriter& out, std::size_t symbol) const { out.put(code[symbol], length[symbol]); }
};

template <std::size_t kCount>
std::size_t range_of(const std::array<Range, kCount>& ranges, int value) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), value,
                                      [](int v, const Range& range) { return v < range.base; });
  return static_cast<std::size_t>(after - ranges.begin()) - 1;
}

std::size_t length_code(const Token& token) {
  return range_of(kLengthRanges, token.length);
}

std::size_t distance_code(const Token& token) {
  return range_of(kDistanceRanges, token.value + 1);
}

// One of the code lengths in the head of a block, with its extra bits.
struct LengthSymbol {
  std::uint8_t symbol = 0;
  std::uint8_t extra = 0;
};

std::vector<LengthSymbol> length_symbols(std::span<const std::uint8_t> lengths) {
  std::vector<LengthSymbol> out;
  for (std::size_t at = 0; at < lengths.size();) {
    std::size_t same = 1;
    while (at + same < lengths.size() && lengths[at + same] == lengths[at]) ++same;
    if (lengths[at] != 0) {
      out.push_back({lengths[at], 0});
      ++at;
      --same;
    }
    while (same >= 3) {
      const bool zero = lengths[at] == 0;
      const int kind = !zero ? 0 : same < 11 ? 1 : 2;
      const Repeat& repeat = kRepeats[static_cast<std::size_t>(kind)];
      const std::size_t most = static_cast<std::size_t>(repeat.fewest + (1 << repeat.extra) - 1);
      const std::size_t count = std::min(same, most);
      out.push_back({static_cast<std::uint8_t>(kFirstRepeat + kind),
                     static_cast<std::uint8_t>(count - static_cast<std::size_t>(repeat.fewest))});
      at += count;
      same -= count;
    }
    for (; same > 0; --same, ++at) out.push_back({lengths[at], 0});
  }
  return out;
}

void put_head(BitWriter& out, const Encoder& literals, const Encoder& distances) {
  std::vector<std::uint8_t> lengths = literals.length;
  lengths.insert(lengths.end(), distances.length.begin(), distances.length.end());
  const std::vector<LengthSymbol> symbols = length_symbols(lengths);
  std::vector<std::uint64_t> counts(kLengthCodes);
  for (const LengthSymbol& one : symbols) ++counts[one.symbol];
  const Encoder codes(code_lengths(counts, kLongestLengthCode));
  out.put(static_cast<std::uint32_t>(literals.length.size() - 257), 5);
  out.put(static_cast<std::uint32_t>(distances.length.size() - 1), 5);
  out.put(static_cast<std::uint32_t>(kLengthCodes - 4), 4);
  for (const std::uint8_t symbol : kLengthCodeOrder) out.put(codes.length[symbol], 3);
  for (const LengthSymbol& one : symbols) {
    codes.put(out, one.symbol);
    if (one.symbol < kFirstRepeat) continue;
    out.put(one.extra, kRepeats[static_cast<std::size_t>(one.symbol - kFirstRepeat)].extra);
  }
}

void put_block(BitWriter& out, std::span<const Token> tokens, bool last) {
  std::vector<std::uint64_t> literal_counts(kLiterals), distance_counts(kDistances);
  ++literal_counts[kEndOfBlock];
  for (const Token& token : tokens) {
    ++literal_counts[token.length == 0 ? token.value : kFirstLength + length_code(token)];
    if (token.length > 0) ++distance_counts[distance_code(token)];
  }
  const Encoder literals(code_lengths(std::move(literal_counts), kLongestCode));
  const Encoder distances(code_lengths(std::move(distance_counts), kLongestCode));
  out.put(last ? 1 : 0, 1);
  out.put(kDynamic, 2);
  put_head(out, literals, distances);
  for (const Token& token : tokens) {
    if (token.length == 0) {
      literals.put(out, token.value);
      continue;
    }
    const std::size_t length = length_code(token), distance = distance_code(token);
    const Range &of_length = kLengthRanges[length], &of_distance = kDistanceRanges[distance];
    literals.put(out, kFirstLength + length);
    out.put(static_cast<std::uint32_t>(token.length - of_length.base), of_length.extra);
    distances.put(out, distance);
    out.put(static_cast<std::uint32_t>(token.value + 1 - of_distance.base), of_distance.extra);
  }
  literals.put(out, kEndOfBlock);
}

}  // namespace

std::vector<std::byte> deflate(std::span<const std::byte> bytes) {
  const std::vector<Token> tokens = tokens_of(bytes);
  BitWriter out;
  std::span<const Token> rest(tokens);
  do {
    const std::span<const Token> block = rest.first(std::min(rest.size(), kBlockTokens));
    rest = rest.subspan(block.size());
    put_block(out, block, rest.empty());
  } while (!rest.empty());
  return out.finish();
}

}  // namespace tarl
