// SPDX-License-Identifier: MIT
#include "tarl/store/log_tail.h"

#include <algorithm>
#include <fstream>

namespace tarl::store {

std::string log_tail(const fs::path& file, std::size_t bytes) {
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return "";  // opening a FIFO would wait
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = in ? static_cast<std::streamoff>(in.tellg()) : 0;
  const std::streamoff from =
      std::max<std::streamoff>(0, size - static_cast<std::streamoff>(bytes));
  std::string tail(static_cast<std::size_t>(size - from), '\0');
  in.seekg(from);
  in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  tail.resize(static_cast<std::size_t>(in.gcount()));
  // The text before the first line break may be the end of a line.
  if (from > 0) tail.erase(0, std::min(tail.find('\n'), tail.size()));
  return tail;
}

}  // namespace tarl::store
