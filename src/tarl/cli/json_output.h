// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/cli/args.h"
#include "tarl/core/formats/json.h"

namespace tarl::cli {

// What verbs print for programs (docs/json.md): one document on stdout and nothing beside it.
// Numbers that are not finite are null.

Option json_option();

bool wants_json(const Args& args);

// Returns the exit code of a verb that is done.
int print_json(const Json& json);

// Of a verb whose results come one by one: a document a line.
void print_json_line(const Json& json);

}  // namespace tarl::cli
