// SPDX-License-Identifier: MIT
#include <string>

#include "bindings/bindings.h"
#include <nanobind/stl/string.h>

#include "tarl/deploy/export_files.h"

namespace nb = nanobind;

namespace tarl::python {

namespace {

// The policy of a model file or of a run folder's model.
deploy::PolicyNetwork policy_in(const std::string& where, bool best) {
  return deploy::load_policy(where,
                             {best ? train::PolicySource::kBest : train::PolicySource::kNewest});
}

}  // namespace

void bind_export(nb::module_& module) {
  module.def(
      "export_onnx",
      [](const std::string& model, const std::string& out, bool best) {
        deploy::require_onnx_name(out);
        deploy::export_onnx(policy_in(model, best), out);
      },
      nb::arg("model"), nb::arg("out"), nb::arg("best") = false,
      nb::call_guard<nb::gil_scoped_release>());
  module.def(
      "export_header",
      [](const std::string& model, const std::string& out, const std::string& name, bool force,
         bool best) {
        deploy::require_header_name(out);
        deploy::export_header(policy_in(model, best), out, {name, force});
      },
      nb::arg("model"), nb::arg("out"), nb::arg("namespace"), nb::arg("force"),
      nb::arg("best") = false, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tarl::python
