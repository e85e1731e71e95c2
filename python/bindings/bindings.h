// SPDX-License-Identifier: MIT
//
// What each file of this folder adds to the extension module tarl._tarl.
#pragma once

#include <nanobind/nanobind.h>

namespace tarl::python {

void bind_errors(nanobind::module_& module);
void bind_export(nanobind::module_& module);
void bind_gym(nanobind::module_& module);
void bind_models(nanobind::module_& module);
void bind_native_envs(nanobind::module_& module);
void bind_settings(nanobind::module_& module);

}  // namespace tarl::python
