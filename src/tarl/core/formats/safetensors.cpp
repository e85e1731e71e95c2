// SPDX-License-Identifier: MIT
#include "tarl/core/formats/safetensors.h"

#include <algorithm>

#include "tarl/core/files.h"
#include "tarl/core/formats/json.h"

namespace tarl {

namespace {

constexpr std::size_t kMaxHeader = 100'000'000;  // the format's own limit

[[noreturn]] void bad_safetensors(const std::string& source, const std::string& what) {
  throw Error(source + ": not a good safetensors file: " + what);
}

struct Placed {
  std::uint64_t begin;
  std::uint64_t end;
  std::string name;
};

// The declared byte size of a tensor; throws if it overflows.
std::uint64_t declared_size(const Tensor& tensor, const std::string& name,
                            const std::string& source) {
  std::uint64_t size = dtype_size(tensor.dtype);
  for (const std::int64_t extent : tensor.shape) {
    if (extent < 0 || __builtin_mul_overflow(size, static_cast<std::uint64_t>(extent), &size)) {
      bad_safetensors(source, "shape of '" + name + "'");
    }
  }
  return size;
}

Dtype decode_dtype(const std::string& name, const SortedJson& entry, const std::string& source) {
  try {
    return dtype_from_name(entry.at("dtype").get<std::string>());
  } catch (const Error& problem) {
    bad_safetensors(source, "'" + name + "': " + problem.what());
  }
}

Placed decode_entry(const std::string& name, const SortedJson& entry,
                    std::span<const std::byte> data, const std::string& source, Tensors& out) {
  Tensor tensor;
  tensor.dtype = decode_dtype(name, entry, source);
  if (!entry.at("shape").is_array()) bad_safetensors(source, "shape of '" + name + "'");
  for (const SortedJson& extent : entry.at("shape")) {
    if (!extent.is_number_unsigned()) bad_safetensors(source, "shape of '" + name + "'");
    tensor.shape.push_back(extent.get<std::int64_t>());
  }
  const SortedJson& offsets = entry.at("data_offsets");
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned()) {
    bad_safetensors(source, "offsets of '" + name + "'");
  }
  const auto begin = offsets[0].get<std::uint64_t>(), end = offsets[1].get<std::uint64_t>();
  if (begin > end || end > data.size()) bad_safetensors(source, "offsets of '" + name + "'");
  if (declared_size(tensor, name, source) != end - begin)
    bad_safetensors(source, "size of '" + name + "'");
  const auto bytes = data.subspan(begin, end - begin);
  tensor.bytes.assign(bytes.begin(), bytes.end());
  out.emplace(name, std::move(tensor));
  return {begin, end, name};
}

void check_no_holes(std::vector<Placed>& placed, std::uint64_t size, const std::string& source) {
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::uint64_t at = 0;
  for (const Placed& entry : placed) {
    if (entry.begin != at) bad_safetensors(source, "hole or overlap before '" + entry.name + "'");
    at = entry.end;
  }
  if (at != size) bad_safetensors(source, "bytes after the last tensor");
}

}  // namespace

std::string safetensors_header(const Tensors& tensors,
                               const std::map<std::string, std::string>& metadata) {
  SortedJson header = SortedJson::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    header[name] = {{"dtype", dtype_name(tensor.dtype)},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + tensor.bytes.size()}}};
    offset += tensor.bytes.size();
  }
  std::string text = json_line(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

std::vector<std::byte> encode_safetensors(const SafetensorsFile& file) {
  const std::string header = safetensors_header(file.tensors, file.metadata);
  std::size_t size = header.size();
  for (const auto& [name, tensor] : file.tensors) size += tensor.bytes.size();
  std::vector<std::byte> out;
  out.reserve(size);
  const auto start = std::as_bytes(std::span(header));
  out.insert(out.end(), start.begin(), start.end());
  for (const auto& [name, tensor] : file.tensors) {
    out.insert(out.end(), tensor.bytes.begin(), tensor.bytes.end());
  }
  return out;
}

SafetensorsFile decode_safetensors(std::span<const std::byte> bytes, const std::string& source) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) bad_safetensors(source, "shorter than its header length");
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > kMaxHeader || length > bytes.size() - sizeof length) {
    bad_safetensors(source, "header length " + std::to_string(length));
  }
  const auto* text = reinterpret_cast<const char*>(bytes.data() + sizeof length);
  const auto data = bytes.subspan(sizeof length + length);
  SafetensorsFile file;
  std::vector<Placed> placed;
  std::string field = "header";
  try {
    const SortedJson header = parse_sorted_json({text, length});
    if (!header.is_object()) bad_safetensors(source, "header is no JSON object");
    for (const auto& [name, entry] : header.items()) {
      field = name;
      if (name == "__metadata__") {
        file.metadata = entry.get<std::map<std::string, std::string>>();
      } else {
        placed.push_back(decode_entry(name, entry, data, source, file.tensors));
      }
    }
  } catch (const Json::exception& problem) {
    bad_safetensors(source, "'" + field + "': " + problem.what());
  }
  check_no_holes(placed, data.size(), source);
  return file;
}

SafetensorsFile load_safetensors(const std::filesystem::path& path) {
  return decode_safetensors(read_file(path), path.string());
}

void save_safetensors(const std::filesystem::path& path, const SafetensorsFile& file) {
  write_file_durably(path, encode_safetensors(file));
}

}  // namespace tarl
