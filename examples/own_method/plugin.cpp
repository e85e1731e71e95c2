// SPDX-License-Identifier: MIT
//
// The same for the stock program: tarl train --plugin libexample_own_plugin.so --algo ta-linear-q
// ...
#include "own_method.h"

TARL_PLUGIN("own_method", "1.0") {
  add_own_method(registries);
}
