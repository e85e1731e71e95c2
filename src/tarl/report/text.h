// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "tarl/core/formats/number.h"
#include "tarl/statistics/aggregate.h"

namespace tarl::report {

std::string concat(std::initializer_list<std::string_view> parts);

// Escapes text so that it is safe where it is put, whatever a folder or algorithm is called.
std::string escape_html(std::string_view text);      // elements and quoted attributes, HTML and SVG
std::string escape_latex(std::string_view text);     // one line; also signs in tables (±, –, %)
std::string escape_markdown(std::string_view text);  // one line, safe in tables; no HTML
std::string one_line(std::string_view text);         // control characters to spaces: for comments
std::string csv_field(std::string_view text);        // quoted where needed
std::string json_string(std::string_view text);      // with quotes; safe inside <script>
// Only letters, digits, '-', '_' and '.'; long texts become their beginning and a hash.
std::string file_name(std::string_view text);

// Numbers for people. An unknown value is an en dash.
std::string fixed(double value, int digits);
std::string signed_fixed(double value, int digits);  // "+0.12"; a true minus sign; no sign on zero
std::string significant(double value, int digits);   // "1234", "12.3", "0.0012"
std::string percent(double value, int digits = 1);   // "+12.3 %", from percent
std::string p_value(double p);                       // "0.062", "< 0.001"
std::string interval(statistics::Interval interval, int digits);  // "[0.12, 0.34]" or nothing
std::string signed_interval(statistics::Interval interval, int digits);  // "[+0.12, +0.34]"
std::string short_count(double count);    // 20000 -> "20k", 2000000 -> "2M"
std::string grouped(std::int64_t count);  // "22,251"
std::string duration(double seconds);     // "12.3 s", "4.5 min", "4.63 h"

// A number for JSON with few digits; null if it is not finite.
std::string json_number(double value, int significant_digits = 5);

// "minatar/space_invaders" -> "Space Invaders".
std::string environment_title(std::string_view env);

}  // namespace tarl::report
