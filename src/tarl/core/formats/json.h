// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

// Reading and writing JSON: include this, and leave the library's own parse() and dump() alone,
// which take seconds to compile wherever they are used.
namespace tarl {

using Json = nlohmann::ordered_json;  // members as written
using SortedJson = nlohmann::json;    // members by name: one text for one content

// Documents that may be processed recursively. Throw Json::exception if the text is not JSON, or
// nested deeper than any of ours.
Json parse_json(std::string_view text);
SortedJson parse_sorted_json(std::string_view text);

// In one line, or with two spaces per level. Bytes that are not UTF-8 are replaced.
std::string json_line(const Json& json);
std::string json_line(const SortedJson& json);
std::string json_page(const Json& json);
std::string json_page(const SortedJson& json);

}  // namespace tarl
