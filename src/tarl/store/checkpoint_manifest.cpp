// SPDX-License-Identifier: MIT
#include "tarl/store/checkpoint_manifest.h"

#include <charconv>

#include "tarl/core/build_config.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/formats/number.h"

namespace tarl::store {

namespace {

constexpr int kFormat = 2;
constexpr const char* kSettings = "settings";
constexpr const char* kChecksum = "xxh3";  // of the other fields; sorts last

std::string checksum_of(const SortedJson& body) {
  const std::string text = json_line(body);
  return format_hash(xxh3(std::as_bytes(std::span(text))));
}

// A single canonical form: what is read must be what this would write.
std::string spelled(const SortedJson& manifest) {
  return json_page(manifest);
}

std::uint64_t read_hash(const SortedJson& value) {
  const auto text = value.get<std::string>();
  std::uint64_t hash = 0;
  std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (text != format_hash(hash)) throw Error("'" + text + "' is no checksum");
  return hash;
}

SortedJson record_json(const FileRecord& record) {
  SortedJson fields = SortedJson::object();
  for (const auto& [name, hash] : record.fields) fields[name] = format_hash(hash);
  return {{"size", record.digest.size},
          {"xxh3", format_hash(record.digest.xxh3)},
          {"fields", std::move(fields)}};
}

FileRecord read_record(const SortedJson& entry) {
  FileRecord record;
  record.digest = {entry.at("size").get<std::uint64_t>(), read_hash(entry.at("xxh3"))};
  for (const auto& [name, hash] : entry.at("fields").items()) record.fields[name] = read_hash(hash);
  return record;
}

Manifest read_body(const SortedJson& body) {
  Manifest manifest;
  manifest.step = body.at("step").get<std::int64_t>();
  if (body.contains(kSettings)) {
    manifest.settings = body.at(kSettings).get<std::string>();
    if (manifest.settings.empty()) throw Error("field 'settings' is empty");
  }
  manifest.state = read_record(body.at("files").at(kStateFile));
  for (const auto& [name, entry] : body.at("segments").items()) {
    manifest.segments[name] = read_record(entry);
  }
  return manifest;
}

// The fields, once the checksum agrees.
SortedJson checked_body(const std::string& text) {
  SortedJson body = parse_sorted_json(text);
  if (!body.is_object() || spelled(body) != text) throw Error("it is not as it was written");
  const auto checksum = body.at(kChecksum).get<std::string>();
  body.erase(kChecksum);
  if (checksum != checksum_of(body)) {
    throw Error("field '" + std::string(kChecksum) + "' does not match the others");
  }
  return body;
}

}  // namespace

std::string encode_manifest(const Manifest& manifest) {
  SortedJson segments = SortedJson::object();
  for (const auto& [name, record] : manifest.segments) segments[name] = record_json(record);
  SortedJson body = {{"format", kFormat},
                     {"tarl", kVersion},
                     {"step", manifest.step},
                     {"files", {{kStateFile, record_json(manifest.state)}}},
                     {"segments", std::move(segments)}};
  if (!manifest.settings.empty()) body[kSettings] = manifest.settings;
  body[kChecksum] = checksum_of(body);
  return spelled(body);
}

Manifest decode_manifest(const std::string& text, const std::string& source) {
  try {
    const SortedJson body = checked_body(text);
    if (const SortedJson& format = body.at("format"); format != kFormat) {
      throw UnknownFormat("checkpoint format " + json_line(format) + ", written by tarl " +
                          body.at("tarl").get<std::string>() + "; this is tarl " + kVersion +
                          ", which reads format " + std::to_string(kFormat) +
                          ": resume with the version that wrote it");
    }
    return read_body(body);
  } catch (const UnknownFormat& problem) {
    throw UnknownFormat(source + ": " + problem.what());
  } catch (const std::exception& problem) {
    throw Error(source + ": damaged: " + problem.what());
  }
}

}  // namespace tarl::store
