// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tarl {

// Little-endian output for the binary formats.
class ByteWriter {
 public:
  template <class T>
  void put(T value) requires std::is_arithmetic_v<T> {
    put_bytes(std::as_bytes(std::span(&value, 1)));
  }

  void put_bytes(std::span<const std::byte> bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  void put_text(std::string_view text) { put_bytes(std::as_bytes(std::span(text))); }

  std::uint64_t size() const { return bytes_.size(); }

  std::span<const std::byte> view() const { return bytes_; }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Checked little-endian input: nothing beyond the end is ever read.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t left() const { return bytes_.size(); }

  // Returns false and changes nothing if fewer bytes are left.
  template <class T>
  bool get(T& value) requires std::is_arithmetic_v<T> {
    if (bytes_.size() < sizeof(T)) return false;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return true;
  }

  bool get_bytes(std::uint64_t count, std::span<const std::byte>& out) {
    if (bytes_.size() < count) return false;
    out = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return true;
  }

  bool skip(std::uint64_t count) {
    std::span<const std::byte> ignored;
    return get_bytes(count, ignored);
  }

 private:
  std::span<const std::byte> bytes_;
};

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace tarl
