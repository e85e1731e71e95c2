// SPDX-License-Identifier: MIT
#include "tarl/deploy/header_text.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <vector>

#include "tarl/core/formats/number.h"

namespace tarl::deploy {

// Outputs are the inner loop, so that compilers vectorise over them.
const std::string_view kLayerCode = R"(inline float number(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Weights are [In][Out].
template <int In, int Out>
inline void linear(const std::uint32_t* weight, const std::uint32_t* bias, const float* x,
                   float* y) {
  for (int o = 0; o < Out; ++o) y[o] = number(bias[o]);
  for (int i = 0; i < In; ++i, weight += Out) {
    for (int o = 0; o < Out; ++o) y[o] += number(weight[o]) * x[i];
  }
}

template <int Size>
inline void relu(float* x) {
  for (int i = 0; i < Size; ++i) x[i] = x[i] > 0.0F ? x[i] : 0.0F;
}

)";

const std::string_view kConvolutionCode =
    R"(// [C][H][W] to [Maps][Rows][Columns], K x K, each S.
template <int C, int H, int W, int Maps, int K, int S>
inline void convolution(const std::uint32_t* weight, const std::uint32_t* bias, const float* x,
                        float* y) {
  constexpr int Rows = (H - K) / S + 1, Columns = (W - K) / S + 1;
  for (int m = 0; m < Maps; ++m, y += Rows * Columns) {
    for (int at = 0; at < Rows * Columns; ++at) y[at] = number(bias[m]);
    for (int c = 0; c < C; ++c) {
      for (int i = 0; i < K; ++i) {
        for (int j = 0; j < K; ++j) {
          const float w = number(*weight++);
          for (int r = 0; r < Rows; ++r) {
            const float* from = x + (c * H + r * S + i) * W + j;
            for (int q = 0; q < Columns; ++q) y[r * Columns + q] += w * from[q * S];
          }
        }
      }
    }
  }
}

)";

const std::string_view kNormalizeCode = R"(inline double wide(std::uint64_t bits) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline void normalize(const float* obs, float* x) {
  const double most = wide(kLimit[0]);
  for (int i = 0; i < kObsSize; ++i) {
    const double z = (static_cast<double>(obs[i]) - wide(kMean[i])) / wide(kDeviation[i]);
    x[i] = static_cast<float>(z < -most ? -most : z > most ? most : z);
  }
}

)";

namespace {

std::string constant_of(const std::string& layer) {
  std::string name = layer.substr(layer.rfind('.') + 1);
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return "k" + name;
}

// Eight or four per line.
template <class Word, class Value>
void append_words(std::string& out, const std::string& name, const char* format,
                  std::span<const Value> values) {
  static_assert(sizeof(Word) == sizeof(Value));
  out += "alignas(64) inline constexpr std::uint" + std::to_string(8 * sizeof(Word)) + "_t " +
         name + "[] = {";
  for (std::size_t i = 0; i < values.size(); ++i) {
    Word word = 0;
    std::memcpy(&word, &values[i], sizeof word);
    char text[24];
    std::snprintf(text, sizeof text, format, static_cast<unsigned long long>(word));
    out.append(i % (32 / sizeof(Word)) == 0 ? "\n" : "").append(text);
  }
  out += "};\n\n";
}

}  // namespace

namespace {

// Of C++17 and C++20, and the namespace that belongs to the language.
constexpr std::string_view kReserved[] = {"alignas",       "alignof",      "and",
                                          "and_eq",        "asm",          "auto",
                                          "bitand",        "bitor",        "bool",
                                          "break",         "case",         "catch",
                                          "char",          "char16_t",     "char32_t",
                                          "char8_t",       "class",        "co_await",
                                          "co_return",     "co_yield",     "compl",
                                          "concept",       "const",        "const_cast",
                                          "consteval",     "constexpr",    "constinit",
                                          "continue",      "decltype",     "default",
                                          "delete",        "do",           "double",
                                          "dynamic_cast",  "else",         "enum",
                                          "explicit",      "export",       "extern",
                                          "false",         "float",        "for",
                                          "friend",        "goto",         "if",
                                          "inline",        "int",          "long",
                                          "mutable",       "namespace",    "new",
                                          "noexcept",      "not",          "not_eq",
                                          "nullptr",       "operator",     "or",
                                          "or_eq",         "private",      "protected",
                                          "public",        "register",     "reinterpret_cast",
                                          "requires",      "return",       "short",
                                          "signed",        "sizeof",       "static",
                                          "static_assert", "static_cast",  "std",
                                          "struct",        "switch",       "template",
                                          "this",          "thread_local", "throw",
                                          "true",          "try",          "typedef",
                                          "typeid",        "typename",     "union",
                                          "unsigned",      "using",        "virtual",
                                          "void",          "volatile",     "wchar_t",
                                          "while",         "xor",          "xor_eq"};

bool is_reserved(std::string_view name) {
  return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

}  // namespace

bool is_namespace(std::string_view name) {
  for (std::string_view rest = name;;) {
    const std::size_t end = rest.find("::");
    if (is_reserved(rest.substr(0, end))) return false;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 2);
  }
  bool begins = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto letter = static_cast<unsigned char>(name[i]);
    if (!begins && name.substr(i).starts_with("::")) {
      begins = true;
      ++i;
      continue;
    }
    if (std::isalpha(letter) == 0 && letter != '_' && (begins || std::isdigit(letter) == 0)) {
      return false;
    }
    begins = false;
  }
  return !begins;
}

std::string plain(std::string text) {
  for (char& letter : text) {
    if (letter < ' ' || letter > '~' || letter == '\\') letter = '?';
  }
  return text;
}

std::string constant_name(const Linear& layer) {
  return constant_of(layer.name);
}

std::string constant_name(const Convolution& layer) {
  return constant_of(layer.name);
}

std::string literal(float value) {
  std::string text = format_number(double{value});
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "F";
}

void append_array(std::string& out, const std::string& name, std::span<const float> values) {
  append_words<std::uint32_t>(out, name, "0x%08llx,", values);
}

void append_array(std::string& out, const std::string& name, std::span<const double> values) {
  append_words<std::uint64_t>(out, name, "0x%016llx,", values);
}

void append_layer(std::string& out, const Linear& layer) {
  const auto in = static_cast<std::size_t>(layer.in), rows = static_cast<std::size_t>(layer.out);
  std::vector<float> turned;
  turned.reserve(layer.weight.size());
  for (std::size_t i = 0; i < in; ++i) {
    for (std::size_t o = 0; o < rows; ++o) turned.push_back(layer.weight[o * in + i]);
  }
  append_array(out, constant_name(layer) + "Weight", std::span<const float>(turned));
  append_array(out, constant_name(layer) + "Bias", layer.bias);
}

void append_layer(std::string& out, const Convolution& layer) {
  append_array(out, constant_name(layer) + "Weight", layer.weight);
  append_array(out, constant_name(layer) + "Bias", layer.bias);
}

}  // namespace tarl::deploy
