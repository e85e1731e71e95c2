// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/cli/args.h"
#include "tarl/core/exit_codes.h"

namespace tarl::cli {

Verb train_verb();
Verb eval_verb();
Verb export_verb();
Verb list_verb();
Verb show_config_verb();
Verb doctor_verb();
Verb clean_verb();
Verb bench_verb();
Verb study_verb();
Verb report_verb();
Verb serve_verb();
Verb selftest_verb();
Verb completion_verb();

std::vector<Verb> all_verbs();

}  // namespace tarl::cli
