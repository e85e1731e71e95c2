// SPDX-License-Identifier: MIT
#include "tarl/replay/frames.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace tarl::replay {

Frames::Frames(std::int64_t places, std::size_t frame_bytes, bool packed)
    : places_(places),
      frame_bytes_(frame_bytes),
      plain_(packed ? 0 : places * static_cast<std::int64_t>(frame_bytes)),
      packed_(static_cast<std::size_t>(packed ? places : 0)) {
  if (packed) codec_.emplace(frame_bytes);
}

std::size_t Frames::memory_bytes() const {
  constexpr std::size_t kAllocation = 16;  // approximate overhead of the allocator
  return plain_.bytes() + packed_bytes_ + packed_.size() * (sizeof(Packed) + kAllocation);
}

std::byte* Frames::plain() {
  require(!codec_, "packed frames are read one by one");
  return plain_.data();
}

const std::byte* Frames::plain() const {
  require(!codec_, "packed frames are read one by one");
  return plain_.data();
}

std::byte* Frames::plain_at(std::int64_t number) {
  return plain_.data() + number % places_ * static_cast<std::int64_t>(frame_bytes_);
}

const std::byte* Frames::plain_at(std::int64_t number) const {
  return plain_.data() + number % places_ * static_cast<std::int64_t>(frame_bytes_);
}

void Frames::put_packed(std::int64_t number, std::span<const std::byte> bytes) {
  Packed& place = packed_[static_cast<std::size_t>(number % places_)];
  packed_bytes_ += bytes.size() - place.size;
  place = {std::make_unique_for_overwrite<std::byte[]>(bytes.size()),
           static_cast<std::uint32_t>(bytes.size())};
  std::ranges::copy(bytes, place.bytes.get());
}

void Frames::put(std::int64_t number, const std::byte* frame, std::span<const std::byte> packed) {
  if (codec_) {
    put_packed(number, packed.empty() ? codec_->pack(frame) : packed);
  } else {
    std::memcpy(plain_at(number), frame, frame_bytes_);
  }
}

std::span<const std::byte> Frames::kept(std::int64_t number) const {
  return codec_ ? packed_[static_cast<std::size_t>(number % places_)].span()
                : std::span(plain_at(number), frame_bytes_);
}

void Frames::copy(std::int64_t number, std::byte* out) const {
  if (codec_) {
    codec_->unpack(packed_[static_cast<std::size_t>(number % places_)].span(), out);
  } else {
    std::memcpy(out, plain_at(number), frame_bytes_);
  }
}

void Frames::save(std::int64_t first, std::int64_t last, StateWriter& out) const {
  std::vector<std::byte> bytes;
  std::vector<std::uint32_t> sizes;
  bytes.reserve(static_cast<std::size_t>(last - first) * frame_bytes_);
  for (std::int64_t n = first; n < last; ++n) {
    const auto frame = kept(n);
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    sizes.push_back(static_cast<std::uint32_t>(frame.size()));
  }
  out.put("frames", bytes);
  if (codec_) out.put("frame_sizes", sizes);
}

void Frames::load(std::int64_t first, std::int64_t last, std::int64_t kept, const StateReader& in) {
  const auto bytes = in.get_vector<std::byte>("frames");
  std::vector<std::uint32_t> sizes(static_cast<std::size_t>(last - first),
                                   static_cast<std::uint32_t>(frame_bytes_));
  if (codec_) in.get("frame_sizes", sizes);
  std::span<const std::byte> left = bytes;
  for (std::int64_t n = first; n < last; ++n) {
    const std::size_t size = sizes[static_cast<std::size_t>(n - first)];
    const bool whole = size <= left.size() && (!codec_ || codec_->fits(left.first(size)));
    if (!whole) throw Error("the saved replay is damaged: frame " + std::to_string(n));
    if (n >= kept && codec_) put_packed(n, left.first(size));
    if (n >= kept && !codec_) std::memcpy(plain_at(n), left.data(), size);
    left = left.subspan(size);
  }
  if (!left.empty()) throw Error("the saved replay is damaged: it has too many frames");
}

}  // namespace tarl::replay
