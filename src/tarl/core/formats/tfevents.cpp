// SPDX-License-Identifier: MIT
#include "tarl/core/formats/tfevents.h"

#include "tarl/core/error.h"
#include "tarl/core/files.h"
#include "tarl/core/formats/bytes.h"

namespace tarl {

namespace {

// Protobuf: every field starts with (number << 3 | wire type).
enum class Wire : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr std::uint8_t key(int number, Wire wire) {
  return static_cast<std::uint8_t>(number << 3 | static_cast<int>(wire));
}

// tensorflow/core/util/event.proto and framework/summary.proto.
constexpr std::uint8_t kEventWallTime = key(1, Wire::kFixed64);
constexpr std::uint8_t kEventStep = key(2, Wire::kVarint);
constexpr std::uint8_t kEventFileVersion = key(3, Wire::kBytes);
constexpr std::uint8_t kEventSummary = key(5, Wire::kBytes);
constexpr std::uint8_t kSummaryValue = key(1, Wire::kBytes);
constexpr std::uint8_t kValueTag = key(1, Wire::kBytes);
constexpr std::uint8_t kValueSimple = key(2, Wire::kFixed32);

// Masked as in TFRecord files: an unmasked CRC of data that contains CRCs is weak.
std::uint32_t masked_crc32c(std::span<const std::byte> bytes) {
  const std::uint32_t sum = crc32c(bytes);
  return ((sum >> 15) | (sum << 17)) + 0xa282ead8U;
}

void put_varint(ByteWriter& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.put(static_cast<std::uint8_t>(value | 0x80));
  out.put(static_cast<std::uint8_t>(value));
}

void put_field(ByteWriter& out, std::uint8_t field, std::span<const std::byte> bytes) {
  out.put(field);
  put_varint(out, bytes.size());
  out.put_bytes(bytes);
}

std::vector<std::byte> as_record(const ByteWriter& event) {
  ByteWriter out;
  const std::uint64_t length = event.size();
  out.put(length);
  out.put(masked_crc32c(std::as_bytes(std::span(&length, 1))));
  out.put_bytes(event.view());
  out.put(masked_crc32c(event.view()));
  return out.take();
}

bool get_varint(ByteReader& in, std::uint64_t& value) {
  value = 0;
  std::uint8_t byte = 0x80;
  for (int shift = 0; (byte & 0x80) != 0; shift += 7) {
    if (shift > 63 || !in.get(byte)) return false;
    value |= std::uint64_t{byte & 0x7FU} << shift;
  }
  return true;
}

struct Parsed {
  std::uint64_t key = 0;
  std::uint64_t number = 0;  // varint, or the bits of a fixed field
  std::span<const std::byte> bytes;
};

// The next field of a message; false at its end or if it is malformed (then `in` has bytes left).
bool get_field(ByteReader& in, Parsed& field) {
  ByteReader ahead = in;
  std::uint32_t low = 0;
  bool good = get_varint(ahead, field.key);
  switch (static_cast<Wire>(field.key & 7)) {
    case Wire::kVarint:
      good = good && get_varint(ahead, field.number);
      break;
    case Wire::kFixed64:
      good = good && ahead.get(field.number);
      break;
    case Wire::kFixed32:
      good = good && ahead.get(low);
      field.number = low;
      break;
    case Wire::kBytes:
      good = good && get_varint(ahead, field.number) && ahead.get_bytes(field.number, field.bytes);
      break;
    default:
      good = false;
  }
  if (good) in = ahead;
  return good;
}

bool decode_value(std::span<const std::byte> bytes, Scalar& scalar) {
  ByteReader in(bytes);
  Parsed field;
  while (get_field(in, field)) {
    if (field.key == kValueTag) scalar.first = as_text(field.bytes);
    if (field.key == kValueSimple) {
      const auto bits = static_cast<std::uint32_t>(field.number);
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      scalar.second = value;
    }
  }
  return in.left() == 0;
}

bool decode_summary(std::span<const std::byte> bytes, std::vector<Scalar>& scalars) {
  ByteReader in(bytes);
  Parsed field;
  while (get_field(in, field)) {
    if (field.key != kSummaryValue) continue;
    if (!decode_value(field.bytes, scalars.emplace_back())) return false;
  }
  return in.left() == 0;
}

bool decode_event(std::span<const std::byte> bytes, Event& event) {
  ByteReader in(bytes);
  Parsed field;
  while (get_field(in, field)) {
    if (field.key == kEventWallTime) std::memcpy(&event.wall_time, &field.number, sizeof(double));
    if (field.key == kEventStep) event.step = static_cast<std::int64_t>(field.number);
    if (field.key == kEventFileVersion) event.file_version = as_text(field.bytes);
    if (field.key == kEventSummary && !decode_summary(field.bytes, event.scalars)) return false;
  }
  return in.left() == 0;
}

// One record with two valid checksums.
bool get_record(ByteReader& in, std::span<const std::byte>& event) {
  std::uint64_t length = 0;
  std::uint32_t length_sum = 0;
  std::uint32_t event_sum = 0;
  return in.get(length) && in.get(length_sum) &&
         length_sum == masked_crc32c(std::as_bytes(std::span(&length, 1))) &&
         in.get_bytes(length, event) && in.get(event_sum) && event_sum == masked_crc32c(event);
}

}  // namespace

std::vector<std::byte> encode_event_header(double epoch) {
  constexpr std::string_view kFileVersion = "brain.Event:2";
  ByteWriter event;
  event.put(kEventWallTime);
  event.put(epoch);
  put_field(event, kEventFileVersion, std::as_bytes(std::span(kFileVersion)));
  return as_record(event);
}

std::vector<std::byte> encode_scalars(double epoch, std::int64_t step,
                                      std::span<const Scalar> scalars) {
  ByteWriter summary;
  for (const auto& [tag, number] : scalars) {
    ByteWriter value;
    put_field(value, kValueTag, std::as_bytes(std::span(tag)));
    value.put(kValueSimple);
    value.put(static_cast<float>(number));
    put_field(summary, kSummaryValue, value.view());
  }
  ByteWriter event;
  event.put(kEventWallTime);
  event.put(epoch + static_cast<double>(step));
  event.put(kEventStep);
  put_varint(event, static_cast<std::uint64_t>(step));
  put_field(event, kEventSummary, summary.view());
  return as_record(event);
}

std::vector<Event> decode_events(std::span<const std::byte> bytes, const std::string& source) {
  std::vector<Event> events;
  ByteReader in(bytes);
  while (in.left() > 0) {
    const std::size_t offset = bytes.size() - in.left();
    std::span<const std::byte> record;
    if (!get_record(in, record) || !decode_event(record, events.emplace_back())) {
      throw Error(source + ": not a good event file: bad record at byte " + std::to_string(offset));
    }
  }
  return events;
}

}  // namespace tarl
