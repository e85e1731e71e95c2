// SPDX-License-Identifier: MIT
//
// The alphabets of RFC 1951, for both directions.
#pragma once

#include <array>
#include <cstdint>

namespace tarl::deflate_format {

inline constexpr int kEndOfBlock = 256;
inline constexpr int kFirstLength = 257;
inline constexpr std::size_t kLiterals = 286;  // bytes, the end, and lengths
inline constexpr std::size_t kDistances = 30;
inline constexpr std::size_t kLengthCodes = 19;
inline constexpr int kLongestCode = 15;  // bits, of literals and distances
inline constexpr int kLongestLengthCode = 7;
inline constexpr int kShortestMatch = 3;
inline constexpr int kLongestMatch = 258;
inline constexpr std::size_t kWindow = 32768;

enum Block : std::uint32_t { kStored = 0, kFixed = 1, kDynamic = 2 };

// A code stands for `base` and as many more as its extra bits say.
struct Range {
  std::uint16_t base;
  std::uint8_t extra;
};

inline constexpr std::array<Range, 29> kLengthRanges = {
    {{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
     {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
     {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};

inline constexpr std::array<Range, kDistances> kDistanceRanges = {
    {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
     {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
     {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
     {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
     {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};

// In which order the lengths of the codes of code lengths are written.
inline constexpr std::array<std::uint8_t, kLengthCodes> kLengthCodeOrder = {
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// Code lengths 16 to 18: the last length again, or zeros.
struct Repeat {
  int fewest;
  int extra;  // bits
};

inline constexpr int kFirstRepeat = 16;
inline constexpr std::array<Repeat, 3> kRepeats = {{{3, 2}, {3, 3}, {11, 7}}};

// Code lengths of literals in a block with fixed codes.
constexpr int fixed_length(int symbol) {
  return symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
}

}  // namespace tarl::deflate_format
