// SPDX-License-Identifier: MIT
#include "tarl/report/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <span>

#include "tarl/core/files.h"

namespace tarl::report {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kLatexSigns{{
    {"\\", "\\textbackslash{}"},
    {"&", "\\&"},
    {"%", "\\%"},
    {"$", "\\$"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"<", "$<$"},
    {">", "$>$"},
    {"±", "$\\pm$"},
    {"−", "$-$"},
    {"–", "--"},
}};

// Two of them, the text around them and ".tmp" fit into the 255 bytes that file systems allow.
constexpr std::size_t kLongestName = 100;

constexpr const char* kUnknown = "–";
constexpr const char* kMinus = "−";

std::string print(const char* format, int digits, double value) {
  std::array<char, 400> text;
  const int length = std::snprintf(text.data(), text.size(), format, digits, value);
  return {text.data(), static_cast<std::size_t>(length)};
}

// "-0.00" means nothing to readers.
std::string without_negative_zero(std::string text) {
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  if (zero && text.starts_with('-')) text.erase(0, 1);
  return text;
}

std::string with_true_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, kMinus);
  return text;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

template <class Number>
std::string bracketed(statistics::Interval bounds, Number number) {
  if (!bounds.known()) return "";
  return concat({"[", number(bounds.low), ", ", number(bounds.high), "]"});
}

}  // namespace

std::string concat(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  std::string out;
  out.reserve(size);
  for (const std::string_view part : parts) out += part;
  return out;
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // Control characters are not allowed in XML; tab and newline are.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

std::string escape_latex(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    bool found = false;
    for (const auto& [sign, latex] : kLatexSigns) {
      if (!text.starts_with(sign)) continue;
      out += latex;
      text.remove_prefix(sign.size());
      found = true;
      break;
    }
    if (found) continue;
    out += is_control(text.front()) ? ' ' : text.front();
    text.remove_prefix(1);
  }
  return out;
}

std::string escape_markdown(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool opens_tag = text[i] == '<' && (std::isalpha(static_cast<unsigned char>(next)) != 0 ||
                                              next == '/' || next == '!' || next == '?');
    if (text[i] == '|' || text[i] == '\\' || opens_tag) out += '\\';
    out += is_control(text[i]) ? ' ' : text[i];
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), is_control, ' ');
  return out;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '<' || c == '>' || c == '&') {
      std::array<char, 8> code;
      std::snprintf(code.data(), code.size(), "\\u%04x", byte);
      out += code.data();
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

std::string file_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                      (c == '.' && !out.empty());
    out += kept ? c : '_';
  }
  if (out.size() > kLongestName) {
    std::array<char, 18> hash;
    std::snprintf(hash.data(), hash.size(), "-%016llx",
                  static_cast<unsigned long long>(xxh3(std::as_bytes(std::span(text)))));
    out = out.substr(0, kLongestName + 1 - hash.size()) + hash.data();
  }
  return out.empty() ? "_" : out;
}

std::string fixed(double value, int digits) {
  if (!std::isfinite(value)) return kUnknown;
  return with_true_minus(without_negative_zero(print("%.*f", digits, value)));
}

std::string signed_fixed(double value, int digits) {
  if (!std::isfinite(value)) return kUnknown;
  const std::string text = print("%.*f", digits, value);
  if (text.find_first_not_of("-0.") == std::string::npos) return without_negative_zero(text);
  return text.starts_with('-') ? with_true_minus(text) : concat({"+", text});
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return kUnknown;
  const double size = std::fabs(value);
  const int whole = size >= 1 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 0;
  if (size == 0 || whole >= digits) return fixed(value, 0);
  if (size >= 1e-3) {
    const int zeros = size >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(size))) - 1;
    return fixed(value, digits - whole + zeros);
  }
  return with_true_minus(print("%.*g", digits, value));
}

std::string percent(double value, int digits) {
  return std::isfinite(value) ? signed_fixed(value, digits) + " %" : kUnknown;
}

std::string p_value(double p) {
  if (!std::isfinite(p)) return kUnknown;
  return p < 0.001 ? "< 0.001" : print("%.*f", 3, p);
}

std::string interval(statistics::Interval bounds, int digits) {
  return bracketed(bounds, [digits](double value) { return fixed(value, digits); });
}

std::string signed_interval(statistics::Interval bounds, int digits) {
  return bracketed(bounds, [digits](double value) { return signed_fixed(value, digits); });
}

std::string short_count(double count) {
  const double size = std::fabs(count);
  const double unit = size >= 1e9 ? 1e9 : size >= 1e6 ? 1e6 : size >= 1e3 ? 1e3 : 1;
  const char* name = size >= 1e9 ? "G" : size >= 1e6 ? "M" : size >= 1e3 ? "k" : "";
  return with_true_minus(print("%.*g", 4, count / unit)) + name;
}

std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return kUnknown;
  if (seconds < 120) return significant(seconds, 3) + " s";
  if (seconds < 7200) return significant(seconds / 60, 3) + " min";
  return significant(seconds / 3600, 3) + " h";
}

std::string json_number(double value, int significant_digits) {
  return std::isfinite(value) ? print("%.*g", significant_digits, value) : "null";
}

std::string environment_title(std::string_view env) {
  const std::size_t slash = env.rfind('/');
  std::string title(slash == std::string_view::npos ? env : env.substr(slash + 1));
  bool start = true;
  for (char& c : title) {
    if (c == '_') c = ' ';
    if (start) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    start = c == ' ';
  }
  return title;
}

}  // namespace tarl::report
