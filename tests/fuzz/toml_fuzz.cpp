// SPDX-License-Identifier: MIT
//
// A TOML document for a table with a field of every kind. What is accepted reads back as itself.
#include "fuzz/fuzz.h"

#include "tarl/core/fields.h"

using namespace tarl;

namespace {

enum class Kind { kA, kB };
constexpr std::array kKindNames = {"a", "b"};

struct Settings {
  bool on = false;
  std::int64_t count = 1;
  double share = 0.5;
  Kind kind = Kind::kA;
  std::string name = "n";
  std::vector<std::int64_t> widths = {64};

  Fields fields() {
    return {flag("on", on, ""),
            integer("count", count, -10, 1e15, ""),
            number("group.share", share, -1e300, 1e300, ""),
            choice("kind", kind, kKindNames, ""),
            text("name", name, ""),
            sizes("group.widths", widths, 1, 4096, "")};
  }
};

std::string read_back(const std::string& toml, const char* source) {
  Settings settings;
  Fields table = settings.fields();
  set_fields_from_toml(table, toml, source);
  return fields_to_toml(table, false);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse("settings.toml", [&] {
    const std::string written = read_back(fuzz::text_of(data, size), "settings.toml");
    require(read_back(written, "again.toml") == written, "settings change when read back");
  });
  return 0;
}
