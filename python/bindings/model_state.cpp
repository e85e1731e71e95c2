// SPDX-License-Identifier: MIT
//
// Models as files.
#include "bindings/model.h"

#include "tarl/core/error.h"
#include "tarl/train/loop_records.h"
#include "tarl/train/model_metadata.h"
#include "tarl/train/nonfinite.h"

namespace nb = nanobind;

namespace tarl::python {

namespace {

// In addition to the parameters that any reader of model files expects.
constexpr const char* kRunGroup = "run";     // everything
constexpr const char* kAgentPart = "agent";  // the agent alone, with its optimiser and its target

}  // namespace

SafetensorsFile Model::file(bool full, const std::map<std::string, std::string>& metadata) {
  const ModelUse use(*this);
  const nb::gil_scoped_release free;
  SafetensorsFile file{agent().parameters(), train::model_metadata(config(), steps())};
  for (const auto& [key, value] : metadata) file.metadata[key] = value;
  StateWriter out(file.tensors);
  if (full) {
    StateWriter run = out.group(kRunGroup);
    run_->save(run);
  } else {
    StateWriter part = out.group(kAgentPart);
    agent().save(part);
  }
  return file;
}

void Model::load(const SafetensorsFile& file, const std::string& source) {
  const ModelUse use(*this);
  const nb::gil_scoped_release free;
  const auto holds = [&](const char* group) {
    const auto first = file.tensors.lower_bound(std::string(group) + "/");
    return first != file.tensors.end() && first->first.starts_with(std::string(group) + "/");
  };
  const StateReader in(file.tensors, source);
  if (holds(kRunGroup)) {
    run_->load(in.group(kRunGroup));
    begun_ = true;
    stepped(run_->loop().step());
  } else if (holds(kAgentPart)) {
    run_->loop().agent().load(in.group(kAgentPart));
  } else {
    run_->loop().agent().set_parameters(in);  // of `tarl train`
  }
}

}  // namespace tarl::python
