// SPDX-License-Identifier: MIT
#include "tarl/deploy/export_files.h"

#include <algorithm>
#include <span>

#include "tarl/core/error.h"
#include "tarl/deploy/onnx.h"

namespace tarl::deploy {

namespace {

void require_name(const fs::path& out, const std::string& what,
                  std::initializer_list<const char*> endings) {
  const std::string its = out.extension().string();
  if (std::find(endings.begin(), endings.end(), its) != endings.end()) {
    require_replaceable(out);
    return;
  }
  throw UsageError(out.string() + " is no name for " + what + ", which ends in " +
                   *endings.begin() + "; nothing was written");
}

std::uint64_t write(const fs::path& out, const std::string& text) {
  write_file_durably(out, text);
  return text.size();
}

}  // namespace

void require_onnx_name(const fs::path& out) {
  require_name(out, "an ONNX file", {".onnx"});
}

void require_header_name(const fs::path& out) {
  require_name(out, "a C++ header", {".h", ".hpp", ".hh", ".hxx", ".inc"});
}

std::uint64_t export_onnx(const PolicyNetwork& net, const fs::path& out) {
  require_onnx_name(out);
  return write(out, onnx_file(net));
}

std::uint64_t export_header(const PolicyNetwork& net, const fs::path& out,
                            const HeaderOptions& options) {
  require_header_name(out);
  return write(out, header_file(net, options));
}

}  // namespace tarl::deploy
