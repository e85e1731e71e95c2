// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tarl {

// TensorBoard's event file: records of length, masked crc32c of the length, a protobuf Event and
// the masked crc32c of that. Records are appended one after the other.
//
// Wall-clock time would make equal runs differ, so an event's wall_time is `epoch` (seconds since
// 1970, the caller's choice) plus its step: TensorBoard's time axis then counts steps too.
using Scalar = std::pair<std::string, double>;  // tag and value; stored as a 32-bit float

// The record every file starts with.
std::vector<std::byte> encode_event_header(double epoch);

// One record with all scalars of a step.
std::vector<std::byte> encode_scalars(double epoch, std::int64_t step,
                                      std::span<const Scalar> scalars);

struct Event {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string file_version;  // of the first record only
  std::vector<Scalar> scalars;
};

// Every record of a file. Throws Error that names `source` and the offset of the first bad record.
std::vector<Event> decode_events(std::span<const std::byte> bytes, const std::string& source);

}  // namespace tarl
