// SPDX-License-Identifier: MIT
#include "tarl/cli/page_path.h"

#include "tarl/core/error.h"

namespace tarl::cli {

fs::path page_path(const Args& args) {
  const fs::path page = args.value("--out").value_or("");
  const fs::path ending = page.extension();
  std::error_code unknown;
  if (ending != ".html" && ending != ".htm" && fs::is_regular_file(page, unknown)) {
    throw UsageError("--out " + page.string() + " exists and is no page; name one that ends in " +
                     ".html");
  }
  return page;
}

}  // namespace tarl::cli
