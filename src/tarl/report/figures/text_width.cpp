// SPDX-License-Identifier: MIT
#include "tarl/report/figures/text_width.h"

#include <array>
#include <cstdint>

namespace tarl::report {

namespace {

constexpr std::uint32_t kFirst = 0x20, kLast = 0x7e;

using Widths = std::array<std::uint16_t, kLast - kFirst + 1>;

// Advance widths of DejaVu Sans and its bold face, in thousandths of the size, from space to tilde.
constexpr Widths kRegular = {
    318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361,  318, 337, 637, 637, 637,
    637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632,
    576, 775, 752, 295, 295, 656, 558, 863, 749, 788, 604, 788, 695, 635,  611, 732, 685, 989, 686,
    611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635, 616, 353,  635, 634, 278, 278, 580,
    278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592,  525, 637, 337, 637, 838};
constexpr Widths kBold = {349, 457, 521, 838, 696,  1002, 873, 307,  458, 458, 523, 838, 380, 416,
                          380, 366, 696, 696, 696,  696,  696, 696,  696, 696, 696, 696, 400, 400,
                          838, 838, 838, 581, 1000, 774,  763, 734,  831, 684, 684, 821, 837, 373,
                          373, 775, 638, 996, 837,  851,  733, 851,  771, 721, 683, 813, 774, 1104,
                          771, 725, 726, 458, 366,  458,  838, 500,  500, 675, 716, 593, 716, 679,
                          436, 716, 712, 343, 343,  666,  343, 1042, 712, 688, 716, 716, 494, 596,
                          479, 712, 652, 924, 646,  652,  583, 712,  366, 712, 838};

// A character of UTF-8 text and its bytes. An invalid byte counts as a character.
struct Letter {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
};

Letter letter_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (bytes == 1 || at + bytes > text.size()) return {first, 1};
  std::uint32_t code = first & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return {first, 1};
    code = code << 6 | (byte(at + i) & 0x3fU);
  }
  return {code, bytes};
}

double letter_width(std::uint32_t code, Weight weight) {
  if (code >= kFirst && code <= kLast) {
    return (weight == Weight::kBold ? kBold : kRegular)[code - kFirst] / 1000.0;
  }
  if (code < kFirst || (code >= 0x300 && code < 0x370)) return 0;  // control, combining
  if (code < 0x370) return weight == Weight::kBold ? 0.9 : 0.85;   // Latin with marks
  if (code < 0x2e80) return weight == Weight::kBold ? 1.25 : 1.1;  // other alphabets, signs
  return 1.4;                                                      // ideographs, pictures
}

bool may_break_after(char c) {
  return c == ' ' || c == '-' || c == '/' || c == '_' || c == '+' || c == ',' || c == ')';
}

}  // namespace

double text_width(std::string_view text, double size, Weight weight) {
  double width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Letter letter = letter_at(text, at);
    width += letter_width(letter.code, weight);
    at += letter.bytes;
  }
  return size * width;
}

std::vector<std::string> wrapped(std::string_view text, double size, double width, Weight weight) {
  std::vector<std::string> lines;
  std::size_t start = 0, last_break = 0;
  double used = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Letter letter = letter_at(text, at);
    const double more = size * letter_width(letter.code, weight);
    if (used + more > width && at > start && text[at] != ' ') {
      const std::size_t end = last_break > start ? last_break : at;
      lines.emplace_back(text.substr(start, end - start));
      start = at = end;
      used = 0;
      continue;
    }
    used += more;
    at += letter.bytes;
    if (letter.bytes == 1 && may_break_after(static_cast<char>(letter.code))) last_break = at;
  }
  lines.emplace_back(text.substr(start));
  for (std::string& line : lines) {
    while (line.size() > 1 && line.back() == ' ') line.pop_back();
  }
  return lines;
}

}  // namespace tarl::report
