// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <nanobind/nanobind.h>

#include "tarl/train/config.h"

namespace tarl::python {

using SettingsTable =
    nanobind::typed<nanobind::list, nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>>;

// Every setting: "key", "value", "toml", "type", "help", "low", "high", "choices" and "marker",
// which is what may stand for a number, or None.
SettingsTable settings_table(train::RunConfig config);

// The preset that a run takes where none is named; empty where there is none.
std::string usual_preset(const std::string& algo, const std::string& env);

}  // namespace tarl::python
