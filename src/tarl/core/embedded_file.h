// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <stdexcept>
#include <string_view>

namespace tarl {

// A text file compiled into the program.
struct EmbeddedFile {
  const char* name;  // path below its folder; without the ending if that is .toml
  const char* text;
};

// The text of the file with that name; an unknown name does not compile.
consteval const char* embedded(std::span<const EmbeddedFile> files, std::string_view name) {
  for (const EmbeddedFile& file : files) {
    if (file.name == name) return file.text;
  }
  throw std::invalid_argument("no such file is compiled into the program");
}

}  // namespace tarl
