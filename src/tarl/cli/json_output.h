// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/cli/args.h"
#include "tarl/core/formats/json.h"

namespace tarl::cli {

// The output of verbs for programs (docs/json.md): one document on stdout and nothing else. NaN and
// Inf are null.

Option json_option();

bool wants_json(const Args& args);

// Returns the exit code of a successful verb.
int print_json(const Json& json);

// For a verb whose results arrive one by one: one document per line.
void print_json_line(const Json& json);

}  // namespace tarl::cli
