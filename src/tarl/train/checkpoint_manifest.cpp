// SPDX-License-Identifier: MIT
#include "tarl/train/checkpoint_manifest.h"

#include <charconv>

#include "tarl/core/build_config.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/formats/number.h"

namespace tarl::train {

namespace {

using Json = nlohmann::json;

constexpr int kFormat = 2;
constexpr const char* kStateFile = "state.safetensors";
constexpr const char* kChecksum = "xxh3";  // of the other fields; sorts last

std::string checksum_of(const Json& body) {
  const std::string text = body.dump();
  return format_hash(xxh3(std::as_bytes(std::span(text))));
}

// One spelling only: what is read must be what this would write.
std::string spelled(const Json& manifest) {
  return manifest.dump(2) + "\n";
}

std::uint64_t read_hash(const Json& value) {
  const auto text = value.get<std::string>();
  std::uint64_t hash = 0;
  std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (text != format_hash(hash)) throw Error("'" + text + "' is no checksum");
  return hash;
}

Json record_json(const FileRecord& record) {
  Json fields = Json::object();
  for (const auto& [name, hash] : record.fields) fields[name] = format_hash(hash);
  return {{"size", record.digest.size},
          {"xxh3", format_hash(record.digest.xxh3)},
          {"fields", std::move(fields)}};
}

FileRecord read_record(const Json& entry) {
  FileRecord record;
  record.digest = {entry.at("size").get<std::uint64_t>(), read_hash(entry.at("xxh3"))};
  for (const auto& [name, hash] : entry.at("fields").items()) record.fields[name] = read_hash(hash);
  return record;
}

Manifest read_body(const Json& body) {
  Manifest manifest;
  manifest.step = body.at("step").get<std::int64_t>();
  manifest.state = read_record(body.at("files").at(kStateFile));
  for (const auto& [name, entry] : body.at("segments").items()) {
    manifest.segments[name] = read_record(entry);
  }
  return manifest;
}

// The fields, once the checksum agrees.
Json checked_body(const std::string& text) {
  Json body = parse_shallow_json(text);
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
  Json segments = Json::object();
  for (const auto& [name, record] : manifest.segments) segments[name] = record_json(record);
  Json body = {{"format", kFormat},
               {"tarl", kVersion},
               {"step", manifest.step},
               {"files", {{kStateFile, record_json(manifest.state)}}},
               {"segments", std::move(segments)}};
  body[kChecksum] = checksum_of(body);
  return spelled(body);
}

Manifest decode_manifest(const std::string& text, const std::string& source) {
  try {
    const Json body = checked_body(text);
    if (const Json& format = body.at("format"); format != kFormat) {
      throw UnknownFormat("checkpoint format " + format.dump() + ", written by tarl " +
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

}  // namespace tarl::train
