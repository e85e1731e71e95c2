// SPDX-License-Identifier: MIT
//
// A run that meets a non-finite value leaves the same files on a device as on the CPU.
#include "fleet/gpu/fleet_helpers.h"
#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/safetensors.h"

namespace tarl::fleet {
namespace {

// A learning rate so large that errors overflow (f32) or gradients exceed the operands' range
// (fp16).
train::RunConfig diverging(const std::string& algo, const std::string& precision) {
  std::vector<std::string> set = {"steps=300", "learning_starts=130", "learning_rate=1000",
                                  "fleet.precision=" + precision};
  if (precision == "f32") {
    set.insert(set.end(), {"policy.net_arch=[16,16,16]", "rmsprop.alpha=0.9999999999999999",
                           "rmsprop.eps=1e-30"});
  }
  return test::short_run(algo, "minatar/breakout", std::move(set));
}

Tensors dump_of(const fs::path& run) {
  return load_safetensors(run / "nonfinite_batch.safetensors").tensors;
}

TEST(EmulatedNonFinite, TheBatchIsLeftInTheFolder) {
  for (const char* algo : {"dqn", "ta-dqn+per", "dqn+reaper"}) {
    for (const char* precision : {"f32", "fp16"}) {
      SCOPED_TRACE(std::string(algo) + " " + precision);
      const train::RunConfig config = diverging(algo, precision);
      const tarl::test::TemporaryFolder folder;
      const fs::path run = folder.path() / "run";
      const std::string error = tarl::test::error_of([&] { test::work(config, run); });
      EXPECT_NE(error.find("nonfinite_batch.safetensors"), std::string::npos) << error;
      ASSERT_TRUE(fs::exists(run / "nonfinite_batch.safetensors"));
      const Tensors dump = dump_of(run);
      const AgentSpec spec = make_spec(config);
      const auto rows = static_cast<std::size_t>(spec.candidates);
      EXPECT_EQ(dump.at("index").count(), rows);
      EXPECT_EQ(dump.at("obs").count(), rows * static_cast<std::size_t>(spec.obs_bytes));
      for (const float weight : dump.at("weight").as<float>()) EXPECT_GT(weight, 0);
    }
  }
}

TEST(EmulatedNonFinite, TheBatchIsThatOfTheCpu) {
  for (const char* algo : {"dqn", "ta-dqn", "ta-ddqn"}) {
    SCOPED_TRACE(algo);
    const train::RunConfig config = diverging(algo, "f32");
    const tarl::test::TemporaryFolder folder;
    const std::string device =
        tarl::test::error_of([&] { test::work(config, folder.path() / "device"); });
    train::RunRequest request;
    request.config = config;
    request.folder = folder.path() / "cpu";
    const std::string cpu = tarl::test::error_of([&] { train::run_training(request); });
    const Tensors ours = dump_of(folder.path() / "device");
    for (const auto& [name, tensor] : dump_of(folder.path() / "cpu")) {
      ASSERT_TRUE(ours.contains(name)) << name;
      EXPECT_TRUE(ours.at(name).bytes == tensor.bytes) << name << "\n" << device << "\n" << cpu;
    }
  }
}

}  // namespace
}  // namespace tarl::fleet
