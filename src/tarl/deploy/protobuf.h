// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tarl::deploy {

// A message in the Protocol Buffers wire format: its fields in the order they are added.
class ProtoMessage {
 public:
  ProtoMessage& add(int field, std::int64_t number) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(number));
    return *this;
  }

  ProtoMessage& add(int field, std::string_view bytes) {
    tag(field, 2);
    varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }

  ProtoMessage& add(int field, const ProtoMessage& message) {
    return add(field, std::string_view{message.bytes_});
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void tag(int field, unsigned wire_type) {
    varint(static_cast<std::uint64_t>(field) << 3 | wire_type);
  }

  void varint(std::uint64_t number) {
    for (; number > 0x7F; number >>= 7) bytes_ += static_cast<char>((number & 0x7F) | 0x80);
    bytes_ += static_cast<char>(number);
  }

  std::string bytes_;
};

}  // namespace tarl::deploy
