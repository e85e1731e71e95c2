// SPDX-License-Identifier: MIT
#include "tarl/cli/verbs.h"

namespace tarl::cli {

std::vector<Verb> all_verbs() {
  return {train_verb(), eval_verb(),     export_verb(),      study_verb(),  report_verb(),
          serve_verb(), list_verb(),     show_config_verb(), doctor_verb(), bench_verb(),
          clean_verb(), selftest_verb(), completion_verb()};
}

}  // namespace tarl::cli
