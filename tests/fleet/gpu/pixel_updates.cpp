// SPDX-License-Identifier: MIT
//
// Updates of DQN on pictures beside each other: frames wherever they lie, and fp16 beside f32.
#include <cmath>

#include "fleet/gpu/distance.h"
#include "fleet/pixel_cases.h"

#include "tarl/agents/dqn_state.h"
#include "tarl/fleet/pixel_dqn/agent.h"
#include "tarl/fleet/pixel_dqn/specify.h"

namespace tarl::fleet {
namespace {

using test::DeviceCase;
using test::pixel_run;

// One update of an agent whose replay holds noise, from weights that are noise, too.
class NoiseUpdate {
 public:
  explicit NoiseUpdate(const train::RunConfig& config)
      : plan_(pixel_dqn::make_plan(config, test::PixelEnv::make_spec())) {}

  // Gradients, once the replay has had so many frames of which `stored` are given to the device.
  std::vector<float> gradients(std::int64_t frames, std::int64_t stored, float reward) {
    const auto network = device_->make(plan_);
    pixel_dqn::Numbers numbers;
    network->download(numbers);
    Rng rng = seeded(3);
    for (float& value : numbers.values) value = static_cast<float>(rng.uniform() - 0.5) / 8;
    numbers.target = numbers.values;
    network->upload(numbers);
    std::vector<std::byte> frame(static_cast<std::size_t>(plan_.frame_bytes()));
    for (std::int64_t number = 0; number < frames; ++number) {
      for (std::byte& byte : frame) byte = static_cast<std::byte>(rng.below(256));
      if (number >= frames - stored) network->store(number, frame, false);
    }
    const std::vector<pixel_dqn::DrawnRow> rows = drawn(frames - plan_.frames, reward);
    network->update({.rows = rows, .rate = 1e-3F, .adam = {}});
    while (!network->updated()) device_->turn();
    EXPECT_TRUE(std::isfinite(network->output().grad_norm));
    return network->gradients();
  }

  const pixel_dqn::AgentPlan& plan() const { return plan_; }

 private:
  std::vector<pixel_dqn::DrawnRow> drawn(std::int64_t oldest, float reward) const {
    std::vector<pixel_dqn::DrawnRow> rows(static_cast<std::size_t>(plan_.candidates));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t first = oldest + static_cast<std::int64_t>(7 * i);
      rows[i].obs = {first, first + 1, first + 2, first + 3};
      rows[i].next = first + 4;
      rows[i].action = static_cast<std::int32_t>(i % 5);
      rows[i].reward = i % 2 == 0 ? reward : -0.3F * reward;
      rows[i].discount = 0.9F;
    }
    return rows;
  }

  pixel_dqn::AgentPlan plan_;
  std::shared_ptr<pixel_dqn::Device> device_ = pixel_dqn::make_device();
};

// Frames in the pages of a ring that has gone round, beside those of a ring that has not.
TEST(FleetPixelUpdates, FramesOutliveThePagesBeforeThem) {
  NoiseUpdate update(pixel_run("dqn", 1));
  constexpr std::int64_t kFrames = 6000;  // more than there are pages for at a time
  const std::vector<float> old = update.gradients(kFrames, kFrames, 1);
  EXPECT_GT(*std::ranges::max_element(old), 0);
  EXPECT_TRUE(old == update.gradients(kFrames, update.plan().frames, 1));
}

using test::distance;

// Whatever the size of the slopes: they are scaled before they are rounded.
TEST(FleetPixelUpdates, GradientsInFp16AreThoseOfF32ToRounding) {
  for (const auto& [loss, reward] :
       {std::pair{"huber", 1.0F}, std::pair{"mse", 3e4F}, std::pair{"mse", 3e-5F}}) {
    const auto run = [loss = loss](const char* precision) {
      return pixel_run("ta-ddqn", 1,
                       {std::string("loss=") + loss, std::string("fleet.precision=") + precision,
                        "batch_size=8", "buffer_size=130", "policy.net_arch=[40]"});
    };
    NoiseUpdate exact(run("f32")), rounded(run("fp16"));
    const std::int64_t frames = exact.plan().frames;
    const auto f32 = exact.gradients(frames, frames, reward);
    const auto fp16 = rounded.gradients(frames, frames, reward);
    const nn::ParameterLayout& layout = exact.plan().layout;
    const Tensors ours = agents::dqn_parameters(layout, fp16.data());
    for (const auto& [name, tensor] : agents::dqn_parameters(layout, f32.data())) {
      const double apart = distance(ours.at(name).as<float>(), tensor.as<float>());
      EXPECT_LT(apart, 0.02) << name << ", " << loss << ", reward " << reward;
      if (name.starts_with("q.conv")) {
        EXPECT_GT(apart, 1e-6) << name << " is not rounded";
      }
    }
  }
}

// Its results are its own, whoever is in the waves beside it and wherever it stops.
TEST(FleetPixelUpdates, Fp16IsTheSameAloneAndAmongOthersAndResumed) {
  const std::vector<std::string> fp16 = {"fleet.precision=fp16", "replay.compress=true"};
  const train::RunConfig config = pixel_run("ta-ddqn", 2, fp16);
  DeviceCase alone(config, pixel_dqn_program().make);
  alone.run_to(90);
  std::vector<std::unique_ptr<DeviceCase>> cases;
  for (const train::RunConfig& one :
       {config, pixel_run("dqn", 3, {"batch_size=6"}), pixel_run("ddqn", 4, fp16)}) {
    cases.push_back(std::make_unique<DeviceCase>(one, pixel_dqn_program().make));
  }
  test::run_all_to(cases, 50, 17);
  DeviceCase resumed(config, pixel_dqn_program().make, cases.front()->state());
  test::run_all_to(cases, 90, 17);
  resumed.run_to(90);
  test::expect_same(cases.front()->state(), alone.state(), "among others");
  test::expect_same(resumed.state(), alone.state(), "resumed");
}

}  // namespace
}  // namespace tarl::fleet
