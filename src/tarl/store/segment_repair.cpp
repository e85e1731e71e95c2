// SPDX-License-Identifier: MIT
#include "tarl/store/segment_repair.h"

#include <algorithm>
#include <cstdint>

#include "tarl/core/files.h"
#include "tarl/core/formats/bytes.h"

namespace tarl::store {

namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kStripes = 16;

// Blocks of a file, the last one padded with zeros, and their parity.
class Blocks {
 public:
  void add(std::span<const std::byte> bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
      const std::size_t take = std::min(bytes.size(), kBlock - filled_);
      std::copy_n(bytes.begin(), take, block_.begin() + static_cast<std::ptrdiff_t>(filled_));
      filled_ += take;
      bytes = bytes.subspan(take);
      if (filled_ == kBlock) finish_block();
    }
  }

  std::vector<std::byte> encode() {
    if (filled_ > 0) finish_block();
    ByteWriter out;
    out.put(size_);
    for (const std::uint64_t checksum : checksums_) out.put(checksum);
    out.put_bytes(parity_);
    return out.take();
  }

 private:
  void finish_block() {
    std::fill(block_.begin() + static_cast<std::ptrdiff_t>(filled_), block_.end(), std::byte{0});
    const std::size_t stripe = checksums_.size() % kStripes;
    if (checksums_.size() < kStripes) parity_.resize((stripe + 1) * kBlock);
    for (std::size_t i = 0; i < kBlock; ++i) parity_[stripe * kBlock + i] ^= block_[i];
    checksums_.push_back(xxh3(block_));
    filled_ = 0;
  }

  std::uint64_t size_ = 0;
  std::size_t filled_ = 0;
  std::vector<std::byte> block_ = std::vector<std::byte>(kBlock);
  std::vector<std::uint64_t> checksums_;
  std::vector<std::byte> parity_;  // [stripes][kBlock]
};

}  // namespace

std::vector<std::byte> repair_data(std::span<const std::span<const std::byte>> pieces) {
  Blocks blocks;
  for (const std::span<const std::byte> piece : pieces) blocks.add(piece);
  return blocks.encode();
}

std::optional<std::vector<std::byte>> mended(std::vector<std::byte> damaged,
                                             std::span<const std::byte> repair) {
  ByteReader reader(repair);
  std::uint64_t size = 0;
  if (!reader.get(size) || size > damaged.size() + kStripes * kBlock) return std::nullopt;
  const std::size_t count = (static_cast<std::size_t>(size) + kBlock - 1) / kBlock;
  std::vector<std::uint64_t> checksums(count);
  for (std::uint64_t& checksum : checksums) {
    if (!reader.get(checksum)) return std::nullopt;
  }
  std::span<const std::byte> parity;
  if (!reader.get_bytes(std::min(count, kStripes) * kBlock, parity)) return std::nullopt;

  damaged.resize(size);  // bytes past its end were not written
  damaged.resize(count * kBlock);
  const auto block = [&](std::size_t i) { return std::span(damaged).subspan(i * kBlock, kBlock); };
  for (std::size_t stripe = 0; stripe < std::min(count, kStripes); ++stripe) {
    std::optional<std::size_t> bad;
    std::vector<std::byte> sum(parity.begin() + static_cast<std::ptrdiff_t>(stripe * kBlock),
                               parity.begin() + static_cast<std::ptrdiff_t>((stripe + 1) * kBlock));
    for (std::size_t i = stripe; i < count; i += kStripes) {
      if (xxh3(block(i)) != checksums[i]) {
        if (bad) return std::nullopt;
        bad = i;
        continue;
      }
      for (std::size_t k = 0; k < kBlock; ++k) sum[k] ^= block(i)[k];
    }
    if (bad) std::copy(sum.begin(), sum.end(), block(*bad).begin());
  }
  damaged.resize(size);
  return damaged;
}

}  // namespace tarl::store
