// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "tarl/cli/args.h"

namespace tarl::cli {

inline constexpr int kExitGood = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitStopped = 75;  // stopped by a signal after a durable checkpoint

Verb train_verb();
Verb eval_verb();
Verb list_verb();
Verb show_config_verb();
Verb doctor_verb();
Verb bench_verb();
Verb study_verb();
Verb report_verb();
Verb serve_verb();
Verb selftest_verb();

std::vector<Verb> all_verbs();

}  // namespace tarl::cli
