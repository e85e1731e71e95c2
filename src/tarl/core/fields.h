// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tarl {

// A value of an enum with named values.
struct EnumValue {
  void* value;
  std::span<const char* const> names;  // by value
  std::size_t (*get)(const void* value);
  void (*set)(void* value, std::size_t index);

  std::string name() const { return names[get(value)]; }
};

// One setting: its name, where its value lives, its meaning and its bounds. A config struct has one
// table of these; TOML, --set, --help, show-config and the docs all read it.
struct Field {
  std::string name;
  std::variant<bool*, std::int64_t*, double*, std::string*, std::vector<std::int64_t>*, EnumValue>
      value;
  std::string help;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  // An alternative to a number: a spelling that leaves the choice open ("-1", "auto"), and the
  // value outside the bounds that stands for it until the choice is made.
  struct Marker {
    std::string text;
    double value;
  };

  std::optional<Marker> marker;

  // A prefix that a number may have, and the other setting that it sets: "lin_1e-3".
  struct Prefix {
    std::string text;
    std::string key, value;
  };

  std::optional<Prefix> prefix{};

  std::string type() const;     // "number", "integer", "true|false", "a|b|c", "text", "list"
  std::string to_toml() const;  // the value, as written in TOML
};

using Fields = std::vector<Field>;

Field flag(std::string name, bool& value, std::string help);
Field integer(std::string name, std::int64_t& value, double low, double high, std::string help);
Field number(std::string name, double& value, double low, double high, std::string help);
// The same with a marker; its number may be given as text or as a number.
Field number_or(Field::Marker marker, Field number);
Field choice(std::string name, EnumValue value, std::string help);
Field text(std::string name, std::string& value, std::string help);
Field sizes(std::string name, std::vector<std::int64_t>& value, double low, double high,
            std::string help);

// A setting that is one of an enum's values; `names` has one per value, in order, and must outlive
// it.
template <class Enum, std::size_t kCount>
Field choice(std::string name, Enum& value, const std::array<const char*, kCount>& names,
             std::string help) {
  const auto get = [](const void* at) {
    return static_cast<std::size_t>(*static_cast<const Enum*>(at));
  };
  const auto set = [](void* at, std::size_t index) {
    *static_cast<Enum*>(at) = static_cast<Enum>(index);
  };
  return choice(std::move(name), EnumValue{&value, names, get, set}, std::move(help));
}

// The value with that name, if there is one.
template <class Enum, std::size_t kCount>
std::optional<Enum> find_value(const std::array<const char*, kCount>& names,
                               std::string_view name) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (name == names[i]) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

// Sets one field from text ("0.5", "1e6", "true", "[64, 64]"). Throws UsageError that names the
// key, what was given and what is allowed; an unknown key suggests the nearest names. `source`
// says where the setting came from ("--set", "presets/minatar/paper.toml:12").
void set_field(Fields& fields, std::string_view name, std::string_view text,
               std::string_view source);

// Sets every key of a TOML document, or of one table of it; [group] tables become "group.key".
// Top-level keys and tables in `except` are skipped; a missing `table` sets nothing. Throws
// UsageError with file and line.
struct TomlScope {
  std::vector<std::string> except;
  std::vector<std::string> table;  // path of the table to read; empty: the whole document
};

void set_fields_from_toml(Fields& fields, std::string_view toml, std::string_view source,
                          const TomlScope& scope = {});

// The whole table as TOML, top-level keys first, then one [group] each; with_help adds comments.
std::string fields_to_toml(const Fields& fields, bool with_help);

// Up to three names closest to `name` by edit distance, for "did you mean" messages.
std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> known);

// "; did you mean 'a' or 'b'?" or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

// "a", "a or b", "a, b or c".
std::string alternatives(std::span<const std::string> names);

}  // namespace tarl
