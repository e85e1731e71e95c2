// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tarl {

// The shortest decimal text that reads back to the same number, for CSV and JSON-like files:
// "0.1", "1e-07", "nan", "-inf". Whole numbers below 1e15 are written out: "2000000", not "2e+06".
std::string format_number(double value);

// The text as a number; `otherwise` if it is not one.
double parse_number(std::string_view text, double otherwise);

std::string plural(std::size_t count, std::string_view noun);  // "1 seed", "5 seeds"

// A checksum as text: sixteen lower-case hexadecimal digits.
std::string format_hash(std::uint64_t value);

}  // namespace tarl
