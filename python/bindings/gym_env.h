// SPDX-License-Identifier: MIT
//
// Gymnasium environments under tarl's loop.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/gym_spaces.h"

#include "tarl/train/config.h"

namespace tarl::python {

// The environment that a tarl._bridge.Bridged describes. Knows its spec at once, and makes
// environments when a run asks for them; what they throw is thrown on, as nanobind::python_error.
// Needs the GIL; what it returns does not, and may be dropped without it.
train::OwnEnv own_env(nanobind::object bridged);

// Of what own_env() returned: the spaces, for whoever acts on observations of Python's, and what
// Python's garbage collector must see. Whoever keeps the result in a Python object calls these
// three in its tp_traverse, tp_finalize, while environments are still whole, and tp_clear.
const GymSpaces& spaces_of(const train::OwnEnv& own);
int traverse(const train::OwnEnv& own, visitproc visit, void* arg);
void close(const train::OwnEnv& own);
void clear(const train::OwnEnv& own);

}  // namespace tarl::python
