// SPDX-License-Identifier: MIT
#include "tarl/core/fields.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "tarl/core/error.h"
#include "tarl/core/formats/toml.h"
#include "tarl/core/utf8.h"

namespace tarl {

namespace {

std::string join(std::span<const char* const> parts, const char* between) {
  std::string out;
  for (const char* part : parts) out += (out.empty() ? std::string() : between) + part;
  return out;
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') out += '\\';
    if (code >= 32 && code != 127) {
      out += letter;
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04X", code);
    out += escape;
  }
  return out + "\"";
}

// The shortest text that reads back to the same number.
std::string shortest(double value) {
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string out(buffer, end);
  if (out.find_first_of(".en") == std::string::npos) out += ".0";
  return out;
}

std::string bounds(const Field& field) {
  const auto say = [](double x) {
    if (x == std::floor(x) && std::fabs(x) < 1e15) return std::to_string(static_cast<long>(x));
    return shortest(x);
  };
  const std::string marker = field.marker ? " or " + field.marker->text : "";
  if (std::isinf(field.low) && std::isinf(field.high)) return "";
  if (std::isinf(field.high)) return " of at least " + say(field.low) + marker;
  return " from " + say(field.low) + " to " + say(field.high) + marker;
}

[[noreturn]] void refuse(const Field& field, std::string_view text, std::string_view source) {
  const auto* one_of = std::get_if<EnumValue>(&field.value);
  throw UsageError(std::string(source) + ": " + field.name + " = " + std::string(text) +
                   " is not " +
                   (one_of == nullptr ? "a " + field.type() + bounds(field)
                                      : "one of " + join(one_of->names, ", ")) +
                   " (" + field.help + ")");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

// A finite or infinite number; nothing for anything else, NaN included.
bool parse_number(std::string_view text, double& out) {
  std::string plain;
  for (const char letter : trimmed(text)) {
    if (letter != '_') plain += letter;
  }
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), out);
  return error == std::errc() && end == plain.data() + plain.size() && !std::isnan(out);
}

std::int64_t parse_integer(const Field& field, std::string_view text, std::string_view source) {
  double value = 0;
  // "1e6" is accepted as an integer; doubles are exact up to 9e15.
  if (!parse_number(text, value) || value != std::floor(value) || std::fabs(value) > 9e15 ||
      value < field.low || value > field.high) {
    refuse(field, text, source);
  }
  return static_cast<std::int64_t>(value);
}

double parse_bounded(const Field& field, std::string_view text, std::string_view source) {
  if (field.marker && text == field.marker->text) return field.marker->value;
  double value = 0;
  if (!parse_number(text, value)) refuse(field, text, source);
  if (field.marker && value == field.marker->value) return value;
  if (value < field.low || value > field.high) refuse(field, text, source);
  return value;
}

void assign_text(Field& field, std::string_view text, std::string_view source) {
  if (auto* one_of = std::get_if<EnumValue>(&field.value)) {
    const auto found = std::find(one_of->names.begin(), one_of->names.end(), text);
    if (found == one_of->names.end()) refuse(field, text, source);
    one_of->set(one_of->value, static_cast<std::size_t>(found - one_of->names.begin()));
    return;
  }
  // TOML allows no other bytes, and the setting will be written as TOML.
  if (!is_utf8(text)) refuse(field, text, source);
  **std::get_if<std::string*>(&field.value) = std::string(text);
}

void assign_list(Field& field, std::string_view text, std::string_view source) {
  std::string_view inner = text;
  const bool opens = inner.starts_with('['), closes = inner.ends_with(']');
  if (opens != closes) refuse(field, text, source);
  if (opens) inner = trimmed(inner.substr(1, inner.size() - 2));
  std::vector<std::int64_t> values;
  std::istringstream items{std::string(inner)};
  for (std::string item; std::getline(items, item, ',');) {
    values.push_back(parse_integer(field, item, source));
  }
  **std::get_if<std::vector<std::int64_t>*>(&field.value) = values;
}

// `text` as typed: spaces around it and one pair of quotes are the shell's or the typist's.
void assign(Field& field, std::string_view text, std::string_view source) {
  text = trimmed(text);
  if (auto* flag_value = std::get_if<bool*>(&field.value)) {
    if (text != "true" && text != "false") refuse(field, text, source);
    **flag_value = text == "true";
  } else if (auto* integer_value = std::get_if<std::int64_t*>(&field.value)) {
    **integer_value = parse_integer(field, text, source);
  } else if (auto* number_value = std::get_if<double*>(&field.value)) {
    **number_value = parse_bounded(field, text, source);
  } else if (std::holds_alternative<std::vector<std::int64_t>*>(field.value)) {
    assign_list(field, text, source);
  } else {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
      text = text.substr(1, text.size() - 2);
    }
    assign_text(field, text, source);
  }
}

std::vector<std::string> names_of(const Fields& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

Field& find_field(Fields& fields, std::string_view name, std::string_view source) {
  for (Field& field : fields) {
    if (field.name == name) return field;
  }
  throw UsageError(std::string(source) + ": no setting is called '" + std::string(name) + "'" +
                   did_you_mean(name, names_of(fields)) + " (tarl show-config lists all)");
}

// Like assign(), also handling a prefix of the text.
void set(Fields& fields, std::string_view name, std::string_view text, std::string_view source) {
  Field& field = find_field(fields, name, source);
  text = trimmed(text);
  if (field.prefix && text.starts_with(field.prefix->text)) {
    const Field::Prefix prefix = *field.prefix;
    assign(find_field(fields, prefix.key, source), prefix.value, source);
    text.remove_prefix(prefix.text.size());
  }
  assign(field, text, source);
}

void set_from_table(Fields& fields, const toml::table& table, const std::string& prefix,
                    std::string_view source) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    const std::string where = std::string(source) + ":" + std::to_string(node.source().begin.line);
    if (const toml::table* inner = node.as_table()) {
      set_from_table(fields, *inner, name + ".", source);
      continue;
    }
    Field& field = find_field(fields, name, where);
    std::ostringstream text;
    if (const auto* value = node.as_floating_point()) {
      text << shortest(value->get());
    } else if (const auto* string = node.as_string()) {
      if (std::holds_alternative<std::string*>(field.value)) {
        assign_text(field, string->get(), where);
        continue;
      }
      text << string->get();
    } else if (const auto* flag_node = node.as_boolean()) {
      text << (flag_node->get() ? "true" : "false");
    } else if (const auto* integer_node = node.as_integer()) {
      text << integer_node->get();
    } else if (const auto* array = node.as_array()) {
      text << *array;
    } else {
      throw UsageError(where + ": " + name + " holds a date or time; no setting is one");
    }
    set(fields, name, text.str(), where);
  }
}

}  // namespace

std::string Field::type() const {
  if (const auto* one_of = std::get_if<EnumValue>(&value)) return join(one_of->names, "|");
  if (std::holds_alternative<bool*>(value)) return "true|false";
  if (std::holds_alternative<std::int64_t*>(value)) return "whole number";
  if (std::holds_alternative<double*>(value)) return "number";
  if (std::holds_alternative<std::string*>(value)) return "text";
  return "list of whole numbers";
}

std::string Field::to_toml() const {
  if (const auto* flag_value = std::get_if<bool*>(&value)) return **flag_value ? "true" : "false";
  if (const auto* integer_value = std::get_if<std::int64_t*>(&value)) {
    return std::to_string(**integer_value);
  }
  if (const auto* number_value = std::get_if<double*>(&value)) {
    // A marker that is a word has no number to write.
    return std::isnan(**number_value) && marker ? in_quotes(marker->text)
                                                : shortest(**number_value);
  }
  if (const auto* text_value = std::get_if<std::string*>(&value)) return in_quotes(**text_value);
  if (const auto* one_of = std::get_if<EnumValue>(&value)) return in_quotes(one_of->name());
  std::string items;
  for (const std::int64_t item : **std::get_if<std::vector<std::int64_t>*>(&value)) {
    items += (items.empty() ? "" : ", ") + std::to_string(item);
  }
  return "[" + items + "]";
}

Field flag(std::string name, bool& value, std::string help) {
  return {std::move(name), &value, std::move(help), 0, 1};
}

Field integer(std::string name, std::int64_t& value, double low, double high, std::string help) {
  return {std::move(name), &value, std::move(help), low, high};
}

Field number(std::string name, double& value, double low, double high, std::string help) {
  return {std::move(name), &value, std::move(help), low, high};
}

Field number_or(Field::Marker marker, Field number) {
  number.marker = std::move(marker);
  return number;
}

Field choice(std::string name, EnumValue value, std::string help) {
  return {std::move(name), value, std::move(help), 0, 0};
}

Field text(std::string name, std::string& value, std::string help) {
  return {std::move(name), &value, std::move(help), 0, 0};
}

Field sizes(std::string name, std::vector<std::int64_t>& value, double low, double high,
            std::string help) {
  return {std::move(name), &value, std::move(help), low, high};
}

void set_field(Fields& fields, std::string_view name, std::string_view value,
               std::string_view source) {
  set(fields, name, value, source);
}

void set_fields_from_toml(Fields& fields, std::string_view document, std::string_view source,
                          const TomlScope& scope) {
  toml::table root = parse_toml(document, source);
  for (const std::string& name : scope.except) root.erase(name);
  const toml::table* table = &root;
  for (const std::string& name : scope.table) {
    const toml::node* node = table->get(name);
    table = node == nullptr ? nullptr : node->as_table();
    if (table == nullptr) return;
  }
  set_from_table(fields, *table, "", source);
}

std::string fields_to_toml(const Fields& fields, bool with_help) {
  std::ostringstream out;
  const auto write = [&](const Field& field, std::string_view key) {
    std::string line = std::string(key) + " = " + field.to_toml();
    if (with_help) {
      line.resize(std::max<std::size_t>(line.size() + 2, 40), ' ');
      line += "# " + field.help;
      if (std::holds_alternative<EnumValue>(field.value)) line += " (" + field.type() + ")";
    }
    out << line << '\n';
  };
  for (const Field& field : fields) {
    if (field.name.find('.') == std::string::npos) write(field, field.name);
  }
  const auto group_of = [](const Field& field) {
    return field.name.substr(0, std::min(field.name.find('.'), field.name.size()));
  };
  std::vector<std::string> groups;  // without duplicates, in order of appearance
  for (const Field& field : fields) {
    if (field.name.find('.') == std::string::npos) continue;
    if (std::find(groups.begin(), groups.end(), group_of(field)) == groups.end()) {
      groups.push_back(group_of(field));
    }
  }
  for (const std::string& group : groups) {
    out << "\n[" << group << "]\n";
    for (const Field& field : fields) {
      std::string_view key = field.name;
      if (!key.starts_with(group + ".")) continue;
      key.remove_prefix(group.size() + 1);
      write(field, key);
    }
  }
  return out.str();
}

}  // namespace tarl
