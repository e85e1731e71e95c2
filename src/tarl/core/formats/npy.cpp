// SPDX-License-Identifier: MIT
#include "tarl/core/formats/npy.h"

#include <array>
#include <charconv>
#include <string_view>

#include "tarl/core/formats/bytes.h"

namespace tarl {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeRow {
  Dtype dtype;
  std::string_view descr;
};

constexpr std::array<TypeRow, 8> kTypes = {{{Dtype::kF64, "<f8"},
                                            {Dtype::kF32, "<f4"},
                                            {Dtype::kI64, "<i8"},
                                            {Dtype::kI32, "<i4"},
                                            {Dtype::kU64, "<u8"},
                                            {Dtype::kU32, "<u4"},
                                            {Dtype::kU16, "<u2"},
                                            {Dtype::kU8, "|u1"}}};

[[noreturn]] void bad_npy(const std::string& source, const std::string& what) {
  throw Error(source + ": not a good .npy array: " + what);
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out = "(";
  for (const std::int64_t extent : shape) out += std::to_string(extent) + ", ";
  if (shape.size() > 1) out.resize(out.size() - 2);
  if (shape.size() == 1) out.resize(out.size() - 1);
  return out + ")";
}

// The text after 'key': in the header's dictionary.
std::string_view value_of(std::string_view header, std::string_view key,
                          const std::string& source) {
  const std::size_t at = header.find("'" + std::string(key) + "':");
  if (at == std::string_view::npos) bad_npy(source, "no '" + std::string(key) + "' in its header");
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

Dtype decode_descr(std::string_view value, const std::string& source) {
  for (const TypeRow& row : kTypes) {
    if (value.substr(0, 5) == "'" + std::string(row.descr) + "'") return row.dtype;
  }
  bad_npy(source, "element type " + std::string(value.substr(0, value.find(','))));
}

std::vector<std::int64_t> decode_shape(std::string_view value, const std::string& source) {
  const std::size_t end = value.find(')');
  if (value.substr(0, 1) != "(" || end == std::string_view::npos) bad_npy(source, "its shape");
  value = value.substr(1, end - 1);
  std::vector<std::int64_t> shape;
  while (!value.empty()) {
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(value.data(), value.data() + value.size(), extent);
    if (error != std::errc() || extent < 0) bad_npy(source, "its shape");
    shape.push_back(extent);
    value.remove_prefix(static_cast<std::size_t>(next - value.data()));
    if (!value.empty() && value.front() != ',') bad_npy(source, "its shape");
    value.remove_prefix(std::min(value.find_first_not_of(", "), value.size()));
  }
  return shape;
}

// The header's text; `reader` stands at the data afterwards.
std::string_view take_header(ByteReader& reader, const std::string& source) {
  std::span<const std::byte> magic;
  std::span<const std::byte> text;
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  if (!reader.get_bytes(kMagic.size(), magic) || as_text(magic) != kMagic || !reader.get(major) ||
      !reader.get(minor)) {
    bad_npy(source, "it does not start like one");
  }
  std::uint16_t short_length = 0;
  std::uint32_t length = 0;
  if (major < 1 || major > 3) bad_npy(source, "format version " + std::to_string(major));
  if (!(major == 1 ? reader.get(short_length) : reader.get(length)) ||
      !reader.get_bytes(major == 1 ? short_length : length, text)) {
    bad_npy(source, "its header is cut");
  }
  return as_text(text);
}

}  // namespace

std::vector<std::byte> encode_npy(const Tensor& tensor) {
  std::vector<std::byte> out = npy_header(tensor.dtype, tensor.shape);
  out.insert(out.end(), tensor.bytes.begin(), tensor.bytes.end());
  return out;
}

std::vector<std::byte> npy_header(Dtype dtype, const std::vector<std::int64_t>& shape) {
  std::string header = "{'descr': '" + std::string(kTypes[static_cast<std::size_t>(dtype)].descr) +
                       "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  const std::size_t fixed = kMagic.size() + 4;
  header.resize((fixed + header.size() + 1 + 63) / 64 * 64 - fixed, ' ');
  header.back() = '\n';
  ByteWriter out;
  out.put_text(kMagic);
  out.put(std::uint8_t{1});
  out.put(std::uint8_t{0});
  out.put(static_cast<std::uint16_t>(header.size()));
  out.put_text(header);
  return out.take();
}

Tensor decode_npy(std::span<const std::byte> bytes, const std::string& source) {
  ByteReader reader(bytes);
  const std::string_view header = take_header(reader, source);
  if (value_of(header, "fortran_order", source).substr(0, 5) != "False") {
    bad_npy(source, "it is in Fortran order; save numpy.ascontiguousarray(...) of it");
  }
  Tensor tensor;
  tensor.dtype = decode_descr(value_of(header, "descr", source), source);
  tensor.shape = decode_shape(value_of(header, "shape", source), source);
  std::uint64_t size = dtype_size(tensor.dtype);
  for (const std::int64_t extent : tensor.shape) {
    if (__builtin_mul_overflow(size, static_cast<std::uint64_t>(extent), &size)) {
      bad_npy(source, "its shape");
    }
  }
  if (size != reader.left()) {
    bad_npy(source, "its shape needs " + std::to_string(size) + " bytes, it has " +
                        std::to_string(reader.left()));
  }
  std::span<const std::byte> data;
  reader.get_bytes(size, data);
  tensor.bytes.assign(data.begin(), data.end());
  return tensor;
}

}  // namespace tarl
