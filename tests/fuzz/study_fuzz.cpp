// SPDX-License-Identifier: MIT
//
// A study file. What is accepted reads back as itself.
#include "fuzz/fuzz.h"

#include "tarl/study/plan/study.h"

using namespace tarl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse("", [&] {
    const study::Study parsed = study::parse_study(fuzz::text_of(data, size), "name", "study.toml");
    const std::string written = study::study_to_toml(parsed);
    const study::Study again = study::parse_study(written, "name", "again.toml");
    require(study::study_to_toml(again) == written, "a study changes when read back");
  });
  return 0;
}
