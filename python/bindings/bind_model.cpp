// SPDX-License-Identifier: MIT
//
// Models and model files as Python classes.
#include <utility>

#include "bindings/bindings.h"
#include "bindings/model.h"
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tarl/core/files.h"
#include "tarl/core/formats/tfevents.h"
#include "tarl/store/logs.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tarl::python {

namespace {

// For models and their frozen copies.
constexpr const char* kPredict =
    "def predict(self, obs: object, state: object | None, starts: object | None, "
    "deterministic: bool) -> tuple[typing.Any, typing.Any]";

// A model file in memory.
struct ModelFile {
  SafetensorsFile content;
  std::string source;  // for messages
};

ModelFile read_model(const std::string& path) {
  const nb::gil_scoped_release free;
  return {load_safetensors(path), path};
}

ModelFile decode_model(const nb::bytes& bytes) {
  const auto* data = reinterpret_cast<const std::byte*>(bytes.c_str());
  return {decode_safetensors({data, bytes.size()}, "the model's bytes"), "the model's bytes"};
}

nb::bytes to_bytes(const std::vector<std::byte>& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

const PyType_Slot kModelSlots[] = {{Py_tp_traverse, reinterpret_cast<void*>(Model::traverse)},
                                   {Py_tp_finalize, reinterpret_cast<void*>(Model::finalize)},
                                   {Py_tp_clear, reinterpret_cast<void*>(Model::clear)},
                                   {0, nullptr}};
const PyType_Slot kPolicySlots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(FrozenPolicy::traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(FrozenPolicy::clear)},
    {0, nullptr}};

void bind_files(nb::module_& module) {
  nb::class_<ModelFile>(module, "ModelFile", "A model file in memory.")
      .def_prop_ro("metadata", [](const ModelFile& file) { return file.content.metadata; })
      .def_prop_ro("source", [](const ModelFile& file) { return file.source; })
      .def("encode",
           [](const ModelFile& file) { return to_bytes(encode_safetensors(file.content)); })
      .def("write", [](const ModelFile& file, const std::string& path) {
        const nb::gil_scoped_release free;
        save_safetensors(path, file.content);
      });
  module.def("read_model", &read_model, "path"_a);
  module.def("decode_model", &decode_model, "bytes"_a);
  module.def("encode_event_header",
             [] { return to_bytes(encode_event_header(store::kEventEpoch)); });
  module.def(
      "encode_events",
      [](std::int64_t step, const std::map<std::string, double>& row) {
        const std::vector<Scalar> scalars(row.begin(), row.end());
        return to_bytes(encode_scalars(store::kEventEpoch, step, scalars));
      },
      "step"_a, "row"_a);
}

void bind_acting(nb::class_<Model>& model) {
  model
      .def("predict", &Model::predict, "obs"_a, "state"_a.none(), "starts"_a.none(),
           "deterministic"_a, nb::sig(kPredict))
      .def("evaluate", &Model::evaluate, "episodes"_a, "seed"_a, "env"_a, "bridged"_a.none(),
           nb::sig("def evaluate(self, episodes: int, seed: int, env: str, bridged: object | None) "
                   "-> dict[str, typing.Any]"))
      .def("evaluations", &Model::evaluations,
           nb::sig("def evaluations(self) -> dict[str, typing.Any]"))
      .def("parameters", &Model::parameters,
           nb::sig("def parameters(self) -> dict[str, typing.Any]"))
      .def("set_parameters", &Model::set_parameters, "parameters"_a,
           nb::sig("def set_parameters(self, parameters: dict[str, typing.Any]) -> None"))
      .def(
          "file",
          [](Model& self, bool full, const std::map<std::string, std::string>& metadata) {
            return ModelFile{self.file(full, metadata), ""};
          },
          "full"_a, "metadata"_a)
      .def("load",
           [](Model& self, const ModelFile& file) { self.load(file.content, file.source); });
}

void make_model(Model* self, std::string algo, std::string env, nb::object spaces,
                std::string source, std::optional<std::string> preset,
                std::vector<std::string> settings, std::optional<std::string> toml,
                std::string folder, bool resume, int threads, nb::object notice) {
  new (self) Model({.algo = std::move(algo),
                    .env = std::move(env),
                    .spaces = std::move(spaces),
                    .source = std::move(source),
                    .preset = std::move(preset),
                    .settings = std::move(settings),
                    .toml = std::move(toml),
                    .folder = std::move(folder),
                    .resume = resume,
                    .threads = threads,
                    .notice = std::move(notice)});
}

}  // namespace

void bind_models(nb::module_& module) {
  bind_files(module);
  nb::class_<Model> model(module, "Model", nb::type_slots(kModelSlots), "A run.");
  nb::class_<FrozenPolicy>(module, "Policy", nb::type_slots(kPolicySlots))
      .def(nb::init<const Model&, const nb::object&>(), "model"_a, "spaces"_a)
      .def("predict", &FrozenPolicy::predict, "obs"_a, "state"_a.none(), "starts"_a.none(),
           "deterministic"_a, nb::sig(kPredict));
  model
      .def("__init__", &make_model, "algo"_a, "env"_a, "spaces"_a, "source"_a, "preset"_a.none(),
           "settings"_a, "toml"_a.none(), "folder"_a, "resume"_a, "threads"_a, "notice"_a)
      .def("plan", &Model::plan, "steps"_a.none(), "evaluations"_a, "episodes"_a)
      .def("learn", &Model::learn, "model"_a, "hooks"_a,
           nb::sig("def learn(self, model: object, hooks: dict[str, list[typing.Any]]) -> None"))
      .def("stop", &Model::stop)
      .def_prop_ro("is_learning", &Model::is_learning)
      .def_prop_ro("steps", &Model::steps)
      .def_prop_ro("updates", &Model::updates)
      .def_prop_ro("total_steps", &Model::total_steps)
      .def_prop_ro("toml",
                   [](const Model& self) { return train::config_to_toml(self.config(), false); })
      .def("settings", [](const Model& self) { return settings_table(self.config()); });
  bind_acting(model);
}

}  // namespace tarl::python
