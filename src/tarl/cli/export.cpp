// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tarl/cli/json_output.h"
#include "tarl/cli/policy_choice.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/deploy/export_files.h"

namespace tarl::cli {

namespace {

struct Exported {
  const char* what;
  std::string path;
  std::uint64_t bytes;
};

// Refuses outputs that cannot be written before a policy is loaded.
void check_outputs(const Args& args) {
  const auto onnx = args.value("--onnx"), header = args.value("--header");
  if (!onnx && !header) {
    throw UsageError("nothing to write: --onnx FILE, --header FILE or both");
  }
  for (const char* option : {"--namespace", "--force"}) {
    if (args.has(option) && !header) throw UsageError(std::string(option) + " is for --header");
  }
  if (onnx) deploy::require_onnx_name(*onnx);
  if (header) deploy::require_header_name(*header);
}

int run_export(const Args& args) {
  check_outputs(args);
  const std::string& run = args.positional().front();
  const deploy::PolicyNetwork net = deploy::load_policy(run, policy_choice(args), say);
  const auto onnx = args.value("--onnx"), header = args.value("--header");
  deploy::HeaderOptions options;
  options.name = args.value("--namespace").value_or(options.name);
  options.force = args.has("--force");
  std::vector<Exported> files;
  // First what may fail.
  if (header) files.push_back({"header", *header, export_header(net, *header, options)});
  if (onnx) files.push_back({"ONNX", *onnx, export_onnx(net, *onnx)});

  const std::string &algo = net.metadata.at("algo"), &env = net.metadata.at("env");
  if (wants_json(args)) {
    Json list = Json::array();
    for (const Exported& file : files) {
      list.push_back({{"what", file.what}, {"path", file.path}, {"bytes", file.bytes}});
    }
    return print_json({{"run", run},
                       {"algo", algo},
                       {"env", env},
                       {"steps", net.steps},
                       {"parameters", net.parameters()},
                       {"files", std::move(list)}});
  }
  std::printf("%s in %s after %lld steps, %zu parameters\n", algo.c_str(), env.c_str(),
              static_cast<long long>(net.steps), net.parameters());
  for (const Exported& file : files) {
    std::printf("%s, %llu bytes -> %s\n", file.what, static_cast<unsigned long long>(file.bytes),
                file.path.c_str());
  }
  return kExitGood;
}

}  // namespace

Verb export_verb() {
  return {.name = "export",
          .summary = "write a trained policy for programs without tarl: ONNX, or one C++ header",
          .usage = "RUN|MODEL.safetensors [--onnx FILE] [--header FILE] [--best] [--json]",
          .options =
              {{"--onnx", "FILE", "an ONNX file (.onnx), with everything around the network", {}},
               {"--header", "FILE", "a C++17 header (.h) without dependencies or heap", {}},
               best_option(),
               checkpoint_option(),
               {"--namespace", "NAME", "of the header (default policy)", {}},
               {"--force", "", "a header also of more than 2 million parameters", {}},
               json_option()},
          .examples = {"tarl export runs/mine --onnx policy.onnx",
                       "tarl export runs/mine --best --header policy.h --namespace mine::policy"},
          .min_positional = 1,
          .max_positional = 1,
          .run = run_export};
}

}  // namespace tarl::cli
