// SPDX-License-Identifier: MIT
//
// DQN on pictures with its network on the device, or on the emulated one: stored references, and
// runs beside the CPU's.
#include <iomanip>
#include <sstream>

#include "fixtures/updates_dqn.h"
#include "fleet/gpu/each_case.h"
#include "fleet/pixel_cases.h"

#include "tarl/agents/dqn_state.h"
#include "tarl/fleet/pixel_dqn/agent.h"
#include "tarl/fleet/pixel_dqn/specify.h"

namespace tarl::fleet {
namespace {

using fixtures::Case;
using fixtures::Checker;
using test::pixel_run;

// One update or more of a stored reference, by the device.
class FixtureUpdate {
 public:
  explicit FixtureUpdate(const Case& test)
      : test_(test),
        rows_(static_cast<int>(test.number("m") + test.number("b"))),
        spec_(spec_of(test)),
        config_(config_of(test, spec_)),
        plan_(pixel_dqn::make_plan(config_, spec_)),
        cpu_(config_.agent.as<agents::DqnConfig>(), spec_.obs, spec_.action, rows_, seeded(0),
             team_),
        optimizer_(agents::optimizer_of(config_.agent.as<agents::DqnConfig>())),
        network_(device_->make(plan_)) {
    fixtures::load_dqn_start(test, cpu_);
    Tensors state;
    StateWriter out(state);
    cpu_.save(out);
    pixel_dqn::Numbers numbers;
    network_->download(numbers);
    agents::load_trained(plan_.layout, StateReader(state, "fixture"), optimizer_,
                         borrowed<float>(numbers), agents::dqn_names());
    network_->upload(numbers);
  }

  void run(Checker& check) {
    for (int k = 0; k < static_cast<int>(test_.number("steps")); ++k) {
      step("step" + std::to_string(k) + ".", check);
    }
    pixel_dqn::Numbers numbers;
    network_->download(numbers);
    Tensors state;
    StateWriter out(state);
    agents::save_trained(plan_.layout, optimizer_, borrowed<const float>(numbers),
                         agents::dqn_names(), out);
    cpu_.load(StateReader(state, "device"));
    fixtures::check_dqn_optimizer(test_, cpu_, check);
  }

 private:
  static rl::EnvSpec spec_of(const Case& test) {
    rl::EnvSpec spec;
    spec.obs = fixtures::dqn_obs(test);
    spec.obs.frame_stack = spec.obs.channels;
    spec.action.count = static_cast<int>(test.number("A"));
    return spec;
  }

  static train::RunConfig config_of(const Case& test, const rl::EnvSpec& spec) {
    std::ostringstream gamma, margin;
    gamma << "gamma=" << std::setprecision(17) << test.number("gamma");
    margin << "align.margin=" << std::setprecision(17) << test.number("b") / test.number("m");
    train::RunConfig config =
        pixel_run("ta-" + test.meta("alg"), 0,
                  {"batch_size=" + std::to_string(static_cast<int>(test.number("m"))), margin.str(),
                   gamma.str(), "align.log=true"});
    config.agent.as<agents::DqnConfig>() =
        agents::completed(fixtures::dqn_config(test), spec.obs.kind);
    return config;
  }

  template <class Float>
  agents::TrainedArrays<Float> borrowed(pixel_dqn::Numbers& numbers) const {
    agents::TrainedArrays<Float> arrays{numbers.values.data(), numbers.target.data(), {}};
    for (auto& moment : numbers.moments) arrays.moments.push_back(moment.data());
    return arrays;
  }

  // Frames as they are, and next observations that do not go on from them.
  std::vector<pixel_dqn::DrawnRow> drawn(const rl::Batch& batch) {
    std::vector<pixel_dqn::DrawnRow> rows(static_cast<std::size_t>(rows_));
    const auto bytes = static_cast<std::size_t>(plan_.frame_bytes());
    for (int row = 0; row < rows_; ++row) {
      const auto at = static_cast<std::size_t>(row);
      pixel_dqn::DrawnRow& to = rows[at];
      for (int frame = 0; frame < plan_.stack; ++frame) {
        network_->store(
            stored_, {batch.obs_row(row) + bytes * static_cast<std::size_t>(frame), bytes}, false);
        to.obs[static_cast<std::size_t>(frame)] = stored_++;
      }
      to.loose = {batch.next_obs_row(row), batch.obs_bytes};
      to.action = batch.action_index[at];
      to.reward = batch.reward[at];
      to.discount = batch.discount[at];
      to.terminated = batch.terminal(at);
    }
    return rows;
  }

  void step(const std::string& name, Checker& check) {
    const rl::Batch batch = fixtures::dqn_batch(test_, name, spec_.obs, spec_.action);
    const std::vector<pixel_dqn::DrawnRow> rows = drawn(batch);
    pixel_dqn::UpdateInput input{.rows = rows, .rate = static_cast<float>(optimizer_.rate())};
    if (plan_.optimizer.adam != 0) input.adam = optimizer_.next_sizes();
    network_->update(input);
    while (!network_->updated()) device_->turn();
    optimizer_.count_step();
    const std::vector<std::int32_t> kept = network_->kept();
    std::vector<std::int64_t> theirs = test_.integers(name + "kept");
    std::ranges::sort(theirs);
    check.equal(name + "kept", std::vector<std::int64_t>(kept.begin(), kept.end()), theirs);
    const pixel_dqn::UpdateOutput& out = network_->output();
    check.close(name + "loss", std::vector{out.loss}, test_.values(name + "loss"), 1e-5, 1e-4);
    check.close(name + "grad_norm", std::vector{out.grad_norm}, test_.values(name + "grad_norm"), 0,
                1e-4);
    pixel_dqn::Numbers numbers;
    network_->download(numbers);
    fixtures::check_dqn_tensors(test_, name + "grad.",
                                agents::dqn_parameters(plan_.layout, network_->gradients().data()),
                                0, 1e-4, check);
    fixtures::check_dqn_tensors(test_, name + "param.",
                                agents::dqn_parameters(plan_.layout, numbers.values.data()), 2e-5,
                                0, check);
  }

  const Case& test_;
  const int rows_;
  const rl::EnvSpec spec_;
  const train::RunConfig config_;
  const pixel_dqn::AgentPlan plan_;
  Team team_{1};
  agents::DqnAgent cpu_;
  nn::Optimizer optimizer_;
  std::shared_ptr<pixel_dqn::Device> device_ = pixel_dqn::make_device();
  std::unique_ptr<pixel_dqn::DeviceNetwork> network_;
  std::int64_t stored_ = 0;
};

bool is_nature(const Case& test) {
  return test.has_meta("net") && test.meta("net") == "nature" && test.number("is") == 0;
}

TEST(FleetPixelDqn, UpdatesAsTheReferences) {
  bool any = false;
  const auto folder = fixtures::root() / "updates_dqn";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    any = any || entry.path().stem().string().starts_with("nature");
  }
  if (!any) GTEST_SKIP() << folder << " has no case of this network; set TARL_FIXTURES";
  test::for_each_case("updates_dqn", is_nature,
                      [](const Case& test, Checker& check) { FixtureUpdate(test).run(check); });
}

// All of them in the same waves, of several shapes.
TEST(FleetPixelDqn, IsTheLoopToTheBitAmongOthers) {
  test::expect_the_loops(
      pixel_dqn_program().make,
      {pixel_run("dqn", 1), pixel_run("ta-dqn", 2, {"replay.compress=true"}),
       pixel_run("ddqn", 3, {"loss=mse", "max_grad_norm=0.5", "batch_size=5"}),
       pixel_run("ta-ddqn", 4,
                 {"align.margin=2", "dueling=true", "replay.compress=true", "n_envs=3"}),
       pixel_run("ta-dqn", 5,
                 {"optimizer=adam", "learning_rate_schedule=linear", "gradient_steps=2",
                  "train_freq=6", "tau=0.3", "policy.net_arch=[70]"}),
       pixel_run("ddqn", 6, {"rmsprop.centered=true", "align.log=true", "buffer_size=9"})},
      {36, 90});
}

TEST(FleetPixelDqn, IsTheLoopToTheBitAlone) {
  test::expect_the_loops(pixel_dqn_program().make,
                         {pixel_run("ta-ddqn", 2, {"replay.compress=true"})}, {110});
}

TEST(FleetPixelDqn, MovesToTheLoopAndBack) {
  const train::RunConfig config = pixel_run("ta-ddqn", 8, {"replay.compress=true"});
  for (const std::int64_t stop : {47, 60}) {  // at 60 an evaluation is due
    test::expect_moves(pixel_dqn_program().make, config, stop, 80);
  }
}

TEST(FleetPixelDqn, StopsAtAValueThatIsNotFinite) {
  test::expect_the_same_stop(pixel_dqn_program().make, pixel_run("ta-dqn", 2, {"batch_size=8"}),
                             40);
  test::expect_the_same_stop(pixel_dqn_program().make, pixel_run("dqn", 3, {"batch_size=16"}), 40);
}

}  // namespace
}  // namespace tarl::fleet
