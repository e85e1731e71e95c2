// SPDX-License-Identifier: MIT
#include "bindings/bindings.h"

#include "tarl/core/build_config.h"

NB_MODULE(_tarl, module) {
  module.doc() = "The C++ side of tarl.";
  module.attr("__version__") = tarl::kVersion;
  tarl::python::bind_errors(module);
  tarl::python::bind_export(module);
  tarl::python::bind_gym(module);
  tarl::python::bind_models(module);
  tarl::python::bind_native_envs(module);
  tarl::python::bind_settings(module);
}
