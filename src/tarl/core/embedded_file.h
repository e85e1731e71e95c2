// SPDX-License-Identifier: MIT
#pragma once

namespace tarl {

// A text file compiled into the program.
struct EmbeddedFile {
  const char* name;  // path below its folder, without the ending
  const char* text;
};

}  // namespace tarl
