// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "tarl/core/formats/deflate.h"
#include "tarl/core/formats/deflate_tables.h"

namespace tarl {

namespace {

using namespace deflate_format;  // NOLINT(google-build-using-namespace)

// Bits from the lowest of each byte; beyond the end `failed` is set and zeros follow.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool failed = false;

  std::uint32_t bits(int count) {
    while (filled_ < count) {
      if (at_ == bytes_.size()) {
        failed = true;
        return 0;
      }
      buffer_ |= std::uint64_t{std::to_integer<std::uint8_t>(bytes_[at_++])} << filled_;
      filled_ += 8;
    }
    const auto value = static_cast<std::uint32_t>(buffer_ & ((1ULL << count) - 1));
    buffer_ >>= count;
    filled_ -= count;
    return value;
  }

  // Goes on at the next whole byte.
  void align() { bits(filled_ % 8); }

  bool at_end() const { return at_ == bytes_.size() && filled_ < 8; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::uint64_t buffer_ = 0;
  int filled_ = 0;
};

// Codes of one alphabet, by length and then by symbol, as the format orders them.
class Decoder {
 public:
  // False where more codes are asked for than there are.
  bool set(std::span<const std::uint8_t> lengths) {
    count_.fill(0);
    for (const std::uint8_t length : lengths) ++count_[length];
    count_[0] = 0;
    std::array<int, kLongestCode + 2> next{};
    int free = 1;
    for (int length = 1; length <= kLongestCode; ++length) {
      free = 2 * free - count_[length];
      if (free < 0) return false;
      next[length + 1] = next[length] + count_[length];
    }
    symbols_.assign(lengths.size(), 0);
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != 0) symbols_[next[lengths[symbol]]++] = static_cast<int>(symbol);
    }
    return true;
  }

  // -1 where no symbol has the code.
  int symbol(BitReader& in) const {
    int code = 0, first = 0, place = 0;
    for (int length = 1; length <= kLongestCode; ++length) {
      code = 2 * code + static_cast<int>(in.bits(1));
      if (code - first < count_[length]) return symbols_[place + code - first];
      place += count_[length];
      first = 2 * (first + count_[length]);
    }
    return -1;
  }

 private:
  std::array<int, kLongestCode + 1> count_{};
  std::vector<int> symbols_;
};

class Inflater {
 public:
  Inflater(std::span<const std::byte> packed, std::size_t size) : in_(packed), size_(size) {
    out_.reserve(size);
  }

  bool run() {
    for (bool last = false; !last;) {
      last = in_.bits(1) != 0;
      if (!block() || in_.failed) return false;
    }
    return out_.size() == size_ && in_.at_end();
  }

  std::vector<std::byte> take() { return std::move(out_); }

 private:
  bool block() {
    switch (in_.bits(2)) {
      case kStored:
        return stored();
      case kFixed:
        return set_fixed() && compressed();
      case kDynamic:
        return read_codes() && compressed();
      default:
        return false;
    }
  }

  bool stored() {
    in_.align();
    const std::uint32_t length = in_.bits(16), complement = in_.bits(16);
    if (in_.failed || (length ^ complement) != 0xFFFF || length > size_ - out_.size()) return false;
    for (std::uint32_t i = 0; i < length; ++i) out_.push_back(static_cast<std::byte>(in_.bits(8)));
    return true;
  }

  bool set_fixed() {
    std::array<std::uint8_t, 288> lengths{};
    for (int i = 0; i < 288; ++i) lengths[i] = static_cast<std::uint8_t>(fixed_length(i));
    std::array<std::uint8_t, kDistances> distances{};
    distances.fill(5);
    return literals_.set(lengths) && distances_.set(distances);
  }

  bool read_codes() {
    const std::size_t literals = in_.bits(5) + 257, distances = in_.bits(5) + 1;
    const std::size_t codes = in_.bits(4) + 4;
    if (literals > kLiterals || distances > kDistances) return false;
    std::array<std::uint8_t, kLengthCodes> of_lengths{};
    for (std::size_t i = 0; i < codes; ++i) {
      of_lengths[kLengthCodeOrder[i]] = static_cast<std::uint8_t>(in_.bits(3));
    }
    Decoder decoder;
    if (!decoder.set(of_lengths)) return false;
    std::vector<std::uint8_t> lengths;
    while (lengths.size() < literals + distances) {
      if (!read_length(decoder, literals + distances, lengths)) return false;
    }
    const std::span<const std::uint8_t> all(lengths);
    return literals_.set(all.first(literals)) && distances_.set(all.subspan(literals));
  }

  bool read_length(const Decoder& decoder, std::size_t wanted, std::vector<std::uint8_t>& lengths) {
    const int symbol = decoder.symbol(in_);
    if (symbol < 0 || in_.failed) return false;
    if (symbol < kFirstRepeat) {
      lengths.push_back(static_cast<std::uint8_t>(symbol));
      return true;
    }
    const bool again = symbol == kFirstRepeat;
    const Repeat& repeat = kRepeats[static_cast<std::size_t>(symbol - kFirstRepeat)];
    const std::size_t count = static_cast<std::size_t>(repeat.fewest) + in_.bits(repeat.extra);
    if ((again && lengths.empty()) || count > wanted - lengths.size()) return false;
    lengths.insert(lengths.end(), count, again ? lengths.back() : std::uint8_t{0});
    return true;
  }

  bool compressed() {
    for (;;) {
      const int symbol = literals_.symbol(in_);
      if (symbol < 0 || in_.failed) return false;
      if (symbol == kEndOfBlock) return true;
      if (symbol > kEndOfBlock) {
        if (!copy(static_cast<std::size_t>(symbol - kFirstLength))) return false;
      } else {
        if (out_.size() == size_) return false;
        out_.push_back(static_cast<std::byte>(symbol));
      }
    }
  }

  bool copy(std::size_t length_code) {
    if (length_code >= kLengthRanges.size()) return false;
    const Range& length_range = kLengthRanges[length_code];
    const std::size_t length = length_range.base + in_.bits(length_range.extra);
    const int symbol = distances_.symbol(in_);
    if (symbol < 0 || symbol >= static_cast<int>(kDistances)) return false;
    const Range& range = kDistanceRanges[static_cast<std::size_t>(symbol)];
    const std::size_t distance = range.base + in_.bits(range.extra);
    if (in_.failed || distance > out_.size() || length > size_ - out_.size()) return false;
    for (std::size_t i = 0; i < length; ++i) out_.push_back(out_[out_.size() - distance]);
    return true;
  }

  BitReader in_;
  std::size_t size_;
  std::vector<std::byte> out_;
  Decoder literals_, distances_;
};

}  // namespace

std::optional<std::vector<std::byte>> inflate(std::span<const std::byte> packed, std::size_t size) {
  if (size > kMostDeflateRatio * packed.size()) return std::nullopt;
  Inflater inflater(packed, size);
  return inflater.run() ? std::optional(inflater.take()) : std::nullopt;
}

}  // namespace tarl
