// SPDX-License-Identifier: MIT
#include "tarl/deploy/policy_network.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "deploy/models.h"
#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/deploy/export_files.h"

namespace tarl::deploy {
namespace {

using tarl::test::error_of;
using tarl::test::is_one_line;
using tarl::test::TemporaryFolder;

std::string refusal(SafetensorsFile model) {
  return error_of([&] { read_policy(std::move(model), "here"); });
}

void expect_refused(SafetensorsFile model, const std::string& why) {
  const std::string problem = refusal(std::move(model));
  EXPECT_NE(problem.find(why), std::string::npos) << problem;
  EXPECT_TRUE(problem.starts_with("here")) << problem;
  EXPECT_TRUE(is_one_line(problem)) << problem;
}

TEST(ReadPolicy, FindsTheLayers) {
  const PolicyNetwork net = read_policy(test::minatar_model(), "here");
  ASSERT_EQ(net.convolutions.size(), 1U);
  EXPECT_EQ(net.convolutions[0].out_size(), 3 * 8 * 8);
  ASSERT_EQ(net.hidden.size(), 1U);
  EXPECT_EQ(net.hidden[0].in, 192);
  EXPECT_EQ(net.out.out, 3);
  EXPECT_FALSE(net.value);
  EXPECT_EQ(net.steps, 600);
  EXPECT_EQ(net.parameters(), 54U + 3 + 4 * 192 + 4 + 12 + 3);
}

TEST(ReadPolicy, FindsTheStridesOfPixels) {
  SafetensorsFile model = test::dqn_model();
  model.metadata["observation"] = "bytes";
  model.metadata["observation_shape"] = "[4, 84, 84]";
  test::add_layer(model, "q.conv1", {32, 4, 8, 8});
  test::add_layer(model, "q.conv2", {64, 32, 4, 4});
  test::add_layer(model, "q.conv3", {64, 64, 3, 3});
  test::add_layer(model, "q.fc1", {4, 64 * 7 * 7});
  const PolicyNetwork net = read_policy(std::move(model), "here");
  ASSERT_EQ(net.convolutions.size(), 3U);
  EXPECT_EQ(net.convolutions[1].out_width(), 9);
  EXPECT_EQ(net.hidden[0].in, 64 * 7 * 7);
}

TEST(ReadPolicy, RefusesAgentsWhoseTensorsNobodyKnows) {
  SafetensorsFile model = test::dqn_model();
  model.metadata["algo"] = "nobodys";
  expect_refused(model, "the agent 'nobodys' is not known here; load the plugin it comes from");

  agents::Entry own = agents::registry().find("dqn");
  own.name = "own";
  own.policy_tensors = agents::PolicyTensors::kOwn;
  agents::registry().add(own);
  model.metadata["algo"] = "own";
  expect_refused(model,
                 "the agent 'own' keeps its policy in tensors of its own; set policy_tensors");

  own.policy_tensors = agents::PolicyTensors::kQ;
  agents::registry().add(own);
  EXPECT_EQ(refusal(model), "");
}

TEST(ReadPolicy, NamesWhatIsDamaged) {
  SafetensorsFile model = test::dqn_model();
  model.tensors.erase("q.out.bias");
  expect_refused(model, "no tensor q.out.bias");
  model = test::dqn_model();
  model.tensors.at("q.out.weight").shape = {4, 3};
  expect_refused(model, "q.out.weight is F32 [4, 3] and should be [3, 4]");
  model = test::dqn_model();
  model.tensors.at("q.fc1.weight").dtype = Dtype::kI32;
  expect_refused(model, "q.fc1.weight is I32 [4, 2] and should be [4, 2]");
  model = test::minatar_model();
  model.tensors.at("q.conv.weight").shape.clear();
  expect_refused(model, "q.conv.weight is F32 [], which is no layer's");
  model = test::minatar_model();
  test::add_layer(model, "q.conv", {3, 2, 11, 11});
  expect_refused(model, "which is no layer's");
}

TEST(ReadPolicy, RefusesWhatNoTrainingLeaves) {
  const auto poison = [](Tensor& tensor, auto value) {
    std::memcpy(tensor.bytes.data(), &value, sizeof value);
  };
  SafetensorsFile model = test::dqn_model();
  poison(model.tensors.at("q.fc1.weight"), std::numeric_limits<float>::quiet_NaN());
  expect_refused(model, "q.fc1.weight holds a value that is not finite");
  model = test::dqn_model();
  model.metadata["normalize.obs"] = "true";
  const std::vector<double> ones(2, 1.0);
  for (const char* name : {"normalize.obs_mean", "normalize.obs_var"}) {
    model.tensors[name] = Tensor::of(std::span<const double>(ones), {2});
  }
  EXPECT_EQ(refusal(model), "");
  poison(model.tensors.at("normalize.obs_var"), -1.0);
  expect_refused(model, "negative variance");
  poison(model.tensors.at("normalize.obs_mean"), std::numeric_limits<double>::infinity());
  expect_refused(model, "normalize.obs_mean holds a value that is not finite");
}

TEST(ReadPolicy, TrustsNoMetadata) {
  const std::vector<std::string> nonsense = {"",    "[",      "[]", "[0]",   "[-1]",      "[1.5]",
                                             "[9]", "[1e99]", "x",  "[nan]", "[1, 2, 3]", "1e99"};
  for (const char* key : {"steps", "observation", "observation_shape", "actions"}) {
    SafetensorsFile model = test::dqn_model();
    model.metadata.erase(key);
    expect_refused(model, key == std::string("actions") ? "action_low" : key);
    for (const std::string& value : nonsense) {
      model.metadata[key] = value;
      EXPECT_TRUE(is_one_line(refusal(model))) << key << " = " << value;
    }
  }
  for (const char* key : {"action_low", "action_high"}) {
    for (const std::string& value : nonsense) {
      if (value == "[0]" || value == "[-1]" || value == "[1.5]" || value == "[9]") continue;
      SafetensorsFile model = test::sac_model();
      model.metadata[key] = value;
      EXPECT_TRUE(is_one_line(refusal(model))) << key << " = " << value;
    }
  }
  SafetensorsFile model = test::sac_model();
  model.metadata["algo"] = "dqn";
  expect_refused(model, "has no network for such actions");
}

TEST(LoadPolicy, OfARunWithNormalisationHasItsMoments) {
  const TemporaryFolder root;
  train::run_training(train::small_run(root / "run", false, {"normalize.obs=true"}));
  const PolicyNetwork net = load_policy(root / "run");
  ASSERT_TRUE(net.normalization);
  EXPECT_EQ(net.normalization->limit, 10);
  const Tensors& tensors = net.tensors;
  const double var = tensors.at("normalize.obs_var").as<double>()[3];
  EXPECT_EQ(net.normalization->deviation[3], std::sqrt(var + 1e-8));
  EXPECT_EQ(net.metadata.at("env"), "classic/cartpole");
  EXPECT_EQ(net.action.count, 2);
  // The file alone is as good.
  EXPECT_EQ(load_policy(root / "run/model.safetensors").steps, train::kSmallRunSteps);
}

TEST(LoadPolicy, TakesWhatIsChosen) {
  const TemporaryFolder root;
  train::run_training(train::small_run(root / "run", false, {"checkpoint.keep=true"}));
  const train::PolicyChoice checkpoint{train::PolicySource::kCheckpoint};
  const PolicyNetwork last = load_policy(root / "run"),
                      same = load_policy(root / "run", checkpoint);
  EXPECT_EQ(last.metadata, same.metadata);
  EXPECT_EQ(last.tensors.at("q.out.weight").bytes, same.tensors.at("q.out.weight").bytes);
  const PolicyNetwork best = load_policy(root / "run", {train::PolicySource::kBest});
  EXPECT_TRUE(best.metadata.contains("mean_return"));
  const std::string problem =
      error_of([&] { load_policy(root / "run/model.safetensors", {train::PolicySource::kBest}); });
  EXPECT_NE(problem.find("nothing to choose from"), std::string::npos) << problem;
}

TEST(LoadPolicy, OfAStoppedRunIsItsCheckpoint) {
  const TemporaryFolder root;
  const train::RunOutcome stopped = train::stopped_run(train::small_run(root / "run"), 150);
  EXPECT_EQ(load_policy(root / "run").steps, stopped.step);
}

TEST(ExportFiles, ReplaceNothingButTheirOwnKind) {
  const TemporaryFolder root;
  const PolicyNetwork net = read_policy(test::dqn_model(), "here");
  write_file_durably(root / "model.safetensors", "precious");
  const std::string problem = error_of([&] { export_onnx(net, root / "model.safetensors"); });
  EXPECT_NE(problem.find("is no name for an ONNX file, which ends in .onnx"), std::string::npos);
  EXPECT_EQ(read_text(root / "model.safetensors"), "precious");
  EXPECT_NE(error_of([&] { export_header(net, root / "a.onnx"); }), "");
  fs::create_directory(root / "a.onnx");
  EXPECT_NE(error_of([&] { export_onnx(net, root / "a.onnx"); }), "");
  EXPECT_NE(error_of([&] { export_onnx(net, root / "none/a.onnx"); }), "");
  write_file_durably(root / "a.h", "old");
  const std::uint64_t size = export_header(net, root / "a.h");
  EXPECT_EQ(read_text(root / "a.h").size(), size);
}

}  // namespace
}  // namespace tarl::deploy
