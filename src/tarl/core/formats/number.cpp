// SPDX-License-Identifier: MIT
#include "tarl/core/formats/number.h"

#include <array>
#include <charconv>
#include <cmath>

namespace tarl {

std::string format_number(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 40> buffer;
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  const auto written = whole ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                             std::chars_format::fixed)
                             : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), written.ptr};
}

double parse_number(std::string_view text, double otherwise) {
  double value = otherwise;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? value : otherwise;
}

std::string plural(std::size_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun) + (count == 1 ? "" : "s");
}

std::string format_hash(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, value >>= 4)
    text[static_cast<std::size_t>(i)] = kDigits[value & 15];
  return text;
}

}  // namespace tarl
