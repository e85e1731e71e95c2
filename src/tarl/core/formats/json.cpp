// SPDX-License-Identifier: MIT
#include "tarl/core/formats/json.h"

namespace tarl {

namespace {

template <class Document>
Document parse(std::string_view text) {
  constexpr int kDeepest = 64;
  return Document::parse(text, [](int depth, auto, const auto&) {
    if (depth > kDeepest) throw Json::other_error::create(501, "it is nested too deeply", nullptr);
    return true;
  });
}

template <class Document>
std::string written(const Document& json, int indent) {
  return json.dump(indent, ' ', false, Document::error_handler_t::replace);
}

}  // namespace

Json parse_json(std::string_view text) {
  return parse<Json>(text);
}

SortedJson parse_sorted_json(std::string_view text) {
  return parse<SortedJson>(text);
}

std::string json_line(const Json& json) {
  return written(json, -1);
}

std::string json_line(const SortedJson& json) {
  return written(json, -1);
}

std::string json_page(const Json& json) {
  return written(json, 2) + "\n";
}

std::string json_page(const SortedJson& json) {
  return written(json, 2) + "\n";
}

}  // namespace tarl
