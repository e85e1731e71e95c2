// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

#include "tarl/train/config.h"

namespace tarl::python {

using SettingsTable =
    nanobind::typed<nanobind::list, nanobind::typed<nanobind::dict, nanobind::str, nanobind::any>>;

// Every setting: "key", "value", "toml", "type", "help", "low", "high", "choices", "marker", which
// may replace a number, and "prefix", which may precede one; or None.
SettingsTable settings_table(train::RunConfig config);

}  // namespace tarl::python
