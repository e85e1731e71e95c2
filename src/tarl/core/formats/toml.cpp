// SPDX-License-Identifier: MIT
//
// The code of toml++, compiled once.
#define TOML_IMPLEMENTATION
#include "tarl/core/formats/toml.h"
