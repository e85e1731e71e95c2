// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tarl/core/error.h"

// A target is one function of bytes. It may accept them or throw Error; anything else, a crash, a
// sanitizer report or a broken promise (require) is a finding. Built with libFuzzer (make fuzz) or
// with driver.cpp, which needs no clang.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tarl::fuzz {

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Runs `call`; an Error is a valid refusal if it is one line that names the source.
template <class Call>
void may_refuse(const std::string& source, Call&& call) {
  try {
    call();
  } catch (const Error& problem) {
    const std::string what = problem.what();
    require(what.find(source) != std::string::npos, "the refusal does not say where");
  }
}

}  // namespace tarl::fuzz
