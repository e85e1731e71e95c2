// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tarl/core/state.h"
#include "tarl/replay/frame_codec.h"
#include "tarl/replay/memory.h"

namespace tarl::replay {

// The newest `places` of a sequence of equally large frames, by number; plain or packed.
class Frames {
 public:
  Frames(std::int64_t places, std::size_t frame_bytes, bool packed);

  std::size_t memory_bytes() const;

  // `packed` is the same as FrameCodec packs it, or nothing.
  void put(std::int64_t number, const std::byte* frame, std::span<const std::byte> packed = {});

  // Requires a number that was put and is not yet `places` behind.
  void copy(std::int64_t number, std::byte* out) const;

  bool packed() const { return codec_.has_value(); }

  // As it is kept, packed or not.
  std::span<const std::byte> kept(std::int64_t number) const;

  // All places in a row. Requires frames that are not packed.
  std::byte* plain();
  const std::byte* plain() const;

  // Numbers [first, last). Loading skips those before `kept` and throws Error if packed frames are
  // damaged.
  void save(std::int64_t first, std::int64_t last, StateWriter& out) const;
  void load(std::int64_t first, std::int64_t last, std::int64_t kept, const StateReader& in);

 private:
  struct Packed {
    std::unique_ptr<std::byte[]> bytes;
    std::uint32_t size = 0;

    std::span<const std::byte> span() const { return {bytes.get(), size}; }
  };

  std::byte* plain_at(std::int64_t number);
  const std::byte* plain_at(std::int64_t number) const;
  void put_packed(std::int64_t number, std::span<const std::byte> bytes);

  std::int64_t places_;
  std::size_t frame_bytes_;
  ZeroedArray<std::byte> plain_;  // [places][frame_bytes], or none
  std::vector<Packed> packed_;    // [places], or none
  std::optional<FrameCodec> codec_;
  std::size_t packed_bytes_ = 0;  // in all
};

}  // namespace tarl::replay
