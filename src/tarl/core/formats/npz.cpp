// SPDX-License-Identifier: MIT
#include "tarl/core/formats/npz.h"

#include <string_view>

#include "tarl/core/files.h"
#include "tarl/core/formats/bytes.h"
#include "tarl/core/formats/deflate.h"
#include "tarl/core/formats/npy.h"

namespace tarl {

namespace {

// Record names and layouts are those of PKWARE's APPNOTE 6.3, sections 4.3 and 4.5.3.
constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kCentralHeader = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kZip64End = 0x06064b50;
constexpr std::uint32_t kZip64Locator = 0x07064b50;
constexpr std::uint16_t kZip64Extra = 0x0001;
constexpr std::uint16_t kVersion = 45;        // the first with zip64
constexpr std::uint32_t kSeeExtra = ~0U;      // "this size or offset stands in the zip64 extra"
constexpr std::uint16_t kFirstDate = 0x0021;  // 1980-01-01
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kLocatorSize = 20;
constexpr std::string_view kSuffix = ".npy";

using Member = NpzMember;

[[noreturn]] void bad_npz(const std::string& source, const std::string& what) {
  throw Error(source + ": not a good .npz file: " + what);
}

// The fields that the local and the central header share.
void put_member(ByteWriter& out, const Member& member, std::uint16_t extra_size) {
  out.put(kVersion);
  out.put(std::uint16_t{0});  // flags
  out.put(static_cast<std::uint16_t>(member.packing));
  out.put(std::uint16_t{0});  // time
  out.put(kFirstDate);
  out.put(member.checksum);
  out.put(kSeeExtra);
  out.put(kSeeExtra);
  out.put(static_cast<std::uint16_t>(member.name.size()));
  out.put(extra_size);
}

void put_extra(ByteWriter& out, std::span<const std::uint64_t> values) {
  out.put(kZip64Extra);
  out.put(static_cast<std::uint16_t>(values.size_bytes()));
  for (const std::uint64_t value : values) out.put(value);
}

void put_local(ByteWriter& out, const Member& member) {
  out.put(kLocalHeader);
  put_member(out, member, 20);
  out.put_text(member.name);
  const std::uint64_t sizes[] = {member.size, member.packed_size};
  put_extra(out, sizes);
}

void put_central(ByteWriter& out, const Member& member) {
  out.put(kCentralHeader);
  out.put(kVersion);  // made by, on MS-DOS: no file attributes
  put_member(out, member, 28);
  out.put(std::uint16_t{0});  // comment
  out.put(std::uint16_t{0});  // disk
  out.put(std::uint16_t{0});  // internal attributes
  out.put(std::uint32_t{0});  // external attributes
  out.put(kSeeExtra);
  out.put_text(member.name);
  const std::uint64_t values[] = {member.size, member.packed_size, member.offset};
  put_extra(out, values);
}

// `out` holds the list of members, which begins at `central_offset` of the file.
void put_end(ByteWriter& out, std::uint64_t members, std::uint64_t central_offset) {
  const std::uint64_t end_offset = central_offset + out.size();
  out.put(kZip64End);
  out.put(std::uint64_t{44});  // bytes of this record after this field
  out.put(kVersion);
  out.put(kVersion);
  out.put(std::uint32_t{0});  // disk
  out.put(std::uint32_t{0});  // disk of the directory
  out.put(members);
  out.put(members);
  out.put(end_offset - central_offset);
  out.put(central_offset);
  out.put(kZip64Locator);
  out.put(std::uint32_t{0});
  out.put(end_offset);
  out.put(std::uint32_t{1});  // disks
  out.put(kEnd);
  out.put(std::uint32_t{0});  // disk, disk of the directory
  for (int i = 0; i < 2; ++i) out.put(std::uint16_t{0xFFFF});
  for (int i = 0; i < 2; ++i) out.put(kSeeExtra);
  out.put(std::uint16_t{0});  // comment
}

// Everything after the data of the last member, which ends at `offset`.
std::vector<std::byte> list_of(std::span<const Member> members, std::uint64_t offset) {
  ByteWriter out;
  for (const Member& member : members) put_central(out, member);
  put_end(out, members.size(), offset);
  return out.take();
}

struct Directory {
  std::uint64_t members = 0;
  std::uint64_t offset = 0;
};

// The position of the list of members. Neither tarl nor NumPy writes a trailing comment.
Directory find_directory(std::span<const std::byte> bytes, const std::string& source) {
  if (bytes.size() < kEndSize) bad_npz(source, "shorter than its end record");
  ByteReader end(bytes.last(kEndSize));
  std::uint32_t signature = 0;
  std::uint32_t offset = 0;
  std::uint16_t members = 0;
  end.get(signature);
  end.skip(6);
  end.get(members);
  end.skip(4);
  end.get(offset);
  if (signature != kEnd) bad_npz(source, "no end record at its end");
  if (offset != kSeeExtra && members != 0xFFFF) return {members, offset};
  if (bytes.size() < kEndSize + kLocatorSize) bad_npz(source, "no zip64 locator");
  ByteReader locator(bytes.last(kEndSize + kLocatorSize));
  std::uint64_t end_offset = 0;
  locator.get(signature);
  locator.skip(4);
  locator.get(end_offset);
  if (signature != kZip64Locator || end_offset > bytes.size()) bad_npz(source, "zip64 locator");
  ByteReader zip64(bytes.subspan(static_cast<std::size_t>(end_offset)));
  Directory directory;
  if (!zip64.get(signature) || signature != kZip64End || !zip64.skip(28) ||
      !zip64.get(directory.members) || !zip64.skip(8) || !zip64.get(directory.offset)) {
    bad_npz(source, "zip64 end record");
  }
  return directory;
}

// Replaces the sizes and the offset that were moved to the zip64 extra field. It holds them in this
// order, each only if it was moved.
bool apply_extra(std::span<const std::byte> extra, std::uint64_t& size, std::uint64_t& packed,
                 std::uint64_t& offset) {
  ByteReader fields(extra);
  std::uint16_t kind = 0;
  std::uint16_t length = 0;
  std::span<const std::byte> data;
  while (fields.get(kind) && fields.get(length) && fields.get_bytes(length, data)) {
    if (kind != kZip64Extra) continue;
    ByteReader values(data);
    for (std::uint64_t* value : {&size, &packed, &offset}) {
      if (*value == kSeeExtra && !values.get(*value)) return false;
    }
  }
  return true;
}

Member take_central(ByteReader& reader, const std::string& source) {
  std::uint32_t signature = 0, packed32 = 0, size32 = 0, offset32 = 0;
  std::uint16_t flags = 0, method = 0, name_size = 0, extra_size = 0, comment_size = 0;
  std::span<const std::byte> name, extra;
  Member member;
  if (!reader.get(signature) || signature != kCentralHeader || !reader.skip(4) ||
      !reader.get(flags) || !reader.get(method) || !reader.skip(4) ||
      !reader.get(member.checksum) || !reader.get(packed32) || !reader.get(size32) ||
      !reader.get(name_size) || !reader.get(extra_size) || !reader.get(comment_size) ||
      !reader.skip(8) || !reader.get(offset32) || !reader.get_bytes(name_size, name) ||
      !reader.get_bytes(extra_size, extra) || !reader.skip(comment_size)) {
    bad_npz(source, "its list of members is cut");
  }
  member.name = as_text(name);
  member.packing = Packing{method};
  const bool stored = member.packing == Packing::kStored;
  if ((!stored && member.packing != Packing::kDeflated) || (flags & 1) != 0) {
    bad_npz(source, "'" + member.name + "' is encrypted or packed in another way than by numpy");
  }
  member.size = size32;
  member.offset = offset32;
  member.packed_size = packed32;
  if (!apply_extra(extra, member.size, member.packed_size, member.offset) ||
      (stored && member.packed_size != member.size)) {
    bad_npz(source, "sizes of '" + member.name + "'");
  }
  return member;
}

std::span<const std::byte> packed_data_of(std::span<const std::byte> bytes, const Member& member,
                                          const std::string& source) {
  if (member.offset > bytes.size()) bad_npz(source, "place of '" + member.name + "'");
  ByteReader local(bytes.subspan(static_cast<std::size_t>(member.offset)));
  std::uint32_t signature = 0;
  std::uint16_t name_size = 0;
  std::uint16_t extra_size = 0;
  std::span<const std::byte> name;
  std::span<const std::byte> data;
  if (!local.get(signature) || signature != kLocalHeader || !local.skip(22) ||
      !local.get(name_size) || !local.get(extra_size) || !local.get_bytes(name_size, name) ||
      as_text(name) != member.name || !local.skip(extra_size) ||
      !local.get_bytes(member.packed_size, data)) {
    bad_npz(source, "place of '" + member.name + "'");
  }
  return data;
}

Tensor take_array(std::span<const std::byte> bytes, const Member& member,
                  const std::string& source) {
  std::span<const std::byte> data = packed_data_of(bytes, member, source);
  std::optional<std::vector<std::byte>> unpacked;
  if (member.packing == Packing::kDeflated) {
    unpacked = inflate(data, member.size);
    if (!unpacked) bad_npz(source, "'" + member.name + "' cannot be unpacked");
    data = *unpacked;
  }
  if (crc32(data) != member.checksum) bad_npz(source, "checksum of '" + member.name + "'");
  return decode_npy(data, source + ": " + member.name);
}

}  // namespace

std::vector<std::byte> encode_npz(std::span<const NamedTensor> arrays, Packing packing) {
  ByteWriter out;
  std::vector<Member> members;
  for (const auto& [name, tensor] : arrays) {
    std::vector<std::byte> data = encode_npy(tensor);
    Member member{name + std::string(kSuffix), out.size(), data.size(), crc32(data), packing};
    if (packing == Packing::kDeflated) data = deflate(data);
    member.packed_size = data.size();
    put_local(out, member);
    out.put_bytes(data);
    members.push_back(std::move(member));
  }
  out.put_bytes(list_of(members, out.size()));
  return out.take();
}

std::vector<NamedTensor> decode_npz(std::span<const std::byte> bytes, const std::string& source,
                                    std::uint64_t most) {
  const Directory directory = find_directory(bytes, source);
  if (directory.offset > bytes.size()) bad_npz(source, "place of its list of members");
  ByteReader reader(bytes.subspan(static_cast<std::size_t>(directory.offset)));
  std::vector<NamedTensor> arrays;
  std::uint64_t room = bytes.size();
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    const Member member = take_central(reader, source);
    // Members that share their bytes could expand a small file into any amount of memory.
    if (member.packed_size > room) bad_npz(source, "its members overlap");
    room -= member.packed_size;
    // A small file may unpack to a thousand times its size.
    if (member.packing == Packing::kDeflated) {
      if (member.size > most) bad_npz(source, "it unpacks to more than such a file should hold");
      most -= member.size;
    }
    Tensor tensor = take_array(bytes, member, source);
    const std::string_view name = member.name;
    const bool suffixed = name.ends_with(kSuffix);
    arrays.emplace_back(name.substr(0, name.size() - (suffixed ? kSuffix.size() : 0)),
                        std::move(tensor));
  }
  return arrays;
}

void save_npz(const std::filesystem::path& path, std::span<const NamedTensor> arrays) {
  write_file_durably(path, encode_npz(arrays));
}

std::vector<NamedTensor> load_npz(const std::filesystem::path& path, std::uint64_t most) {
  return decode_npz(read_file(path), path.string(), most);
}

NpzFile::NpzFile(const fs::path& path) : path_(path), temporary_(path.string() + ".tmp") {
  require_replaceable(path_);
  std::error_code ignored;
  try {
    file_.emplace(temporary_, 0);
  } catch (...) {
    fs::remove(temporary_, ignored);  // it may have been created
    throw;
  }
}

NpzFile::~NpzFile() {
  std::error_code ignored;
  if (file_) fs::remove(temporary_, ignored);
}

void NpzFile::add(const std::string& name, Dtype dtype, const std::vector<std::int64_t>& shape,
                  const std::function<void(const Sink&)>& produce) {
  const std::vector<std::byte> header = npy_header(dtype, shape);
  Member member{name + std::string(kSuffix), file_->size(), header.size(), crc32(header)};
  produce([&](std::span<const std::byte> bytes) {
    member.size += bytes.size();
    member.checksum = crc32(bytes, member.checksum);
  });
  member.packed_size = member.size;
  ByteWriter local;
  put_local(local, member);
  local.put_bytes(header);
  const std::uint64_t end = file_->size() + local.size() - header.size() + member.size;
  file_->append(local.view());
  produce([&](std::span<const std::byte> bytes) { file_->append(bytes); });
  require(file_->size() == end, "an array gives the same bytes twice");
  members_.push_back(std::move(member));
}

void NpzFile::finish() {
  file_->append(list_of(members_, file_->size()));
  file_->sync();
  rename_path(temporary_, path_);
  file_.reset();
  sync_directory(path_.parent_path());
}

}  // namespace tarl
