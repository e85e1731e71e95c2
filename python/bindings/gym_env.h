// SPDX-License-Identifier: MIT
//
// Gymnasium environments under tarl's loop.
#pragma once

#include "bindings/gym_spaces.h"
#include <nanobind/nanobind.h>

#include "tarl/train/config.h"

namespace tarl::python {

// The environment that a tarl._bridge.Bridged describes. Its spec is known at once; environments
// are created when a run needs them, and their exceptions propagate as nanobind::python_error.
// Needs the GIL; the result does not, and may be released without it.
train::OwnEnv own_env(nanobind::object bridged);

// For a result of own_env(): the spaces, for acting on Python observations, and support for
// Python's garbage collector. A Python object that keeps the result calls these three in its
// tp_traverse, tp_finalize (while environments are still intact) and tp_clear.
const GymSpaces& spaces_of(const train::OwnEnv& own);
int traverse(const train::OwnEnv& own, visitproc visit, void* arg);
void close(const train::OwnEnv& own);
void clear(const train::OwnEnv& own);

}  // namespace tarl::python
