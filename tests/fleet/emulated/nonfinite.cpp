// SPDX-License-Identifier: MIT
//
// A run on a device that meets a value that is not finite leaves what a run on the CPU leaves.
#include "fleet/gpu/fleet_helpers.h"
#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/safetensors.h"

namespace tarl::fleet {
namespace {

// Steps so large that the network overflows within a few updates.
train::RunConfig diverging(const std::string& algo, const std::string& precision) {
  return test::short_run(algo, "minatar/breakout",
                         {"fleet.precision=" + precision, "steps=200", "learning_starts=130",
                          "learning_rate=1000", "rmsprop.alpha=0.9999999999999999"});
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
      const SafetensorsFile dump = load_safetensors(run / "nonfinite_batch.safetensors");
      const AgentSpec spec = make_spec(config);
      const auto rows = static_cast<std::size_t>(spec.candidates);
      EXPECT_EQ(dump.tensors.at("index").count(), rows);
      EXPECT_EQ(dump.tensors.at("obs").count(), rows * static_cast<std::size_t>(spec.obs_bytes));
      for (const float weight : dump.tensors.at("weight").as<float>()) EXPECT_GT(weight, 0);
    }
  }
}

TEST(EmulatedNonFinite, TheBatchIsThatOfTheCpu) {
  for (const char* algo : {"dqn", "ta-dqn"}) {
    const train::RunConfig config = diverging(algo, "f32");
    const tarl::test::TemporaryFolder folder;
    const std::string device =
        tarl::test::error_of([&] { test::work(config, folder.path() / "device"); });
    train::RunRequest request;
    request.config = config;
    request.folder = folder.path() / "cpu";
    const std::string cpu = tarl::test::error_of([&] { train::run_training(request); });
    EXPECT_EQ(device.substr(0, device.find(':')), cpu.substr(0, cpu.find(':')));  // "update 5"
    EXPECT_EQ(test::bytes_of(folder.path() / "device" / "nonfinite_batch.safetensors"),
              test::bytes_of(folder.path() / "cpu" / "nonfinite_batch.safetensors"))
        << algo;
  }
}

}  // namespace
}  // namespace tarl::fleet
