// SPDX-License-Identifier: MIT
#include "tarl/store/checkpoint_files.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include <dirent.h>

#include "tarl/core/formats/safetensors.h"
#include "tarl/store/segment_repair.h"

namespace tarl::store {

namespace {

// Which part of a file with a wrong checksum is damaged.
std::string blame(std::span<const std::byte> bytes, const FileRecord& record) {
  try {
    for (const auto& [name, tensor] : decode_safetensors(bytes, "").tensors) {
      const auto field = record.fields.find(name);
      if (field == record.fields.end() || field->second != xxh3(tensor.bytes)) {
        return "field '" + name + "'";
      }
    }
  } catch (const Error&) {
  }
  return "its header";
}

std::vector<std::span<const std::byte>> pieces_of(const std::string& header,
                                                  const Tensors& tensors) {
  std::vector<std::span<const std::byte>> pieces = {std::as_bytes(std::span(header))};
  for (const auto& [name, tensor] : tensors) pieces.emplace_back(tensor.bytes);
  return pieces;
}

}  // namespace

// Not with std::filesystem, whose iterators terminate the program when an allocation fails.
std::vector<std::string> names_in(const fs::path& folder) {
  struct Close {
    void operator()(DIR* open) const { ::closedir(open); }
  };

  std::unique_ptr<DIR, Close> open;
  do {
    open.reset(::opendir(folder.c_str()));
  } while (!open && errno == EINTR);
  if (!open && errno == ENOENT) return {};
  std::vector<std::string> names;
  while (open) {
    errno = 0;
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr && errno == 0) return names;
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  throw Error("cannot list " + folder.string() + ": " + std::strerror(errno));
}

void remove_quietly(const fs::path& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

FileRecord write_tensors(const fs::path& path, const Tensors& tensors) {
  const std::string header = safetensors_header(tensors, {});
  FileRecord record;
  for (const auto& [name, tensor] : tensors) record.fields[name] = xxh3(tensor.bytes);
  record.digest = write_pieces(path, pieces_of(header, tensors));
  return record;
}

void write_repair_data(const fs::path& path, const Tensors& tensors) {
  const std::string header = safetensors_header(tensors, {});
  try {
    make_directory(path.parent_path());
    AppendFile(path, 0).append(repair_data(pieces_of(header, tensors)));
  } catch (const Error&) {
    remove_quietly(path);
  }
}

bool mend_file(const fs::path& path, const FileRecord& record, const fs::path& repair) {
  try {
    std::error_code unknown;
    std::vector<std::byte> bytes;
    if (fs::exists(path, unknown)) bytes = read_file(path);
    const auto good = mended(std::move(bytes), read_file(repair));
    if (!good || Digest{good->size(), xxh3(*good)} != record.digest) return false;
    write_file_durably(path, *good);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Tensors read_tensors(const fs::path& path, const FileRecord& record) {
  const std::string problem = path.string() + ": damaged: ";
  std::error_code unknown;
  const std::uintmax_t size = fs::file_size(path, unknown);
  if (!unknown && size != record.digest.size) {
    throw Error(problem + std::to_string(size) + " bytes, " + std::to_string(record.digest.size) +
                " were written");
  }
  const std::vector<std::byte> bytes = read_file(path);
  if (xxh3(bytes) != record.digest.xxh3) {
    throw Error(problem + "checksum of " + blame(bytes, record));
  }
  return decode_safetensors(bytes, path.string()).tensors;
}

}  // namespace tarl::store
