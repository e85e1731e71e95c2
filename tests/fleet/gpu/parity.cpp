// SPDX-License-Identifier: MIT
//
// The fleet beside the CPU, step by step: actions, drawn slots and kept rows.
#include "fleet/gpu/fleet_helpers.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/train/loop.h"

namespace tarl::fleet {
namespace {

struct Case {
  std::string algo, env;
  std::vector<std::string> set;
};

std::string name_of(const Case& c) {
  std::string text = c.algo + " " + c.env;
  for (const std::string& assignment : c.set) text += " " + assignment;
  return text;
}

// A run on the CPU that can be stepped.
struct CpuRun {
  explicit CpuRun(const train::RunConfig& run_config)
      : config(run_config), logs(folder.path(), {.env_id = config.env}), loop(config, team, logs) {}

  void run_to(std::int64_t step) {
    loop.run(
        {.stop = [this, step] { return loop.step() >= step; }, .progress = {}, .checkpoint = {}});
  }

  Tensors state() const {
    Tensors tensors;
    StateWriter out(tensors);
    loop.save(out);
    return tensors;
  }

  tarl::test::TemporaryFolder folder;
  train::RunConfig config;
  Team team{1};
  train::RunLogs logs;
  train::Loop loop;
};

// The largest difference of the online parameters, relative to the largest of them.
double parameter_distance(const AgentSpec& spec, DeviceAgent& device, const CpuRun& cpu) {
  const Tensors state = cpu.state();
  const AgentImage theirs = load_image(spec, StateReader(state, "cpu"));
  const AgentImage ours = device.download();
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < ours.values.size(); ++i) {
    difference = std::max(difference, std::fabs(double{ours.values[i]} - theirs.values[i]));
    size = std::max(size, std::fabs(double{theirs.values[i]}));
  }
  return difference / size;
}

// The first step at which fleet and CPU part, or 0 where they never do.
std::int64_t first_split(const train::RunConfig& config, std::string& what, double& distance) {
  const AgentSpec spec = make_spec(config);
  CpuRun cpu(config);
  const auto device = new_device_agent(config, true);
  // The last step is that of the evaluation, which a stopped CPU run leaves for later.
  for (std::int64_t step = 1; step < config.steps; ++step) {
    cpu.run_to(step);
    test::advance(*device, step);
    const AgentHead& head = device->head();
    const train::Learner& learner = cpu.loop.learner();
    if (head.updates != learner.updates()) {
      what = "number of updates";
      return step;
    }
    if (head.updates == 0) continue;
    const LastUpdate ours = device->last_update();
    if (ours.index != learner.last_sample().index) {
      what = "drawn slots";
      return step;
    }
    const auto kept = learner.last_kept();
    if (!std::equal(kept.begin(), kept.end(), ours.kept.begin(), ours.kept.end())) {
      what = "kept rows";
      return step;
    }
  }
  distance = parameter_distance(spec, *device, cpu);
  const Tensors state = cpu.state();
  const AgentImage theirs = load_image(spec, StateReader(state, "cpu"));
  const AgentImage ours = device->download();
  if (ours.action != theirs.action || ours.frames != theirs.frames ||
      ours.reward != theirs.reward || ours.flags != theirs.flags) {
    what = "replay";
    return config.steps;
  }
  return 0;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* game : {"asterix", "breakout", "freeway", "space_invaders", "seaquest"}) {
    for (const char* algo :
         {"dqn", "ta-dqn", "ta-ddqn", "dqn+per", "ta-dqn+per", "dqn+reaper", "ta-ddqn+reaper"}) {
      all.push_back({algo, std::string("minatar/") + game, {}});
    }
  }
  const std::string breakout = "minatar/breakout";
  all.push_back({"ta-dqn", breakout, {"align.margin=3", "train_freq=4"}});
  all.push_back({"ta-dqn", breakout, {"align.margin=0.1"}});
  all.push_back({"dqn", breakout, {"batch_size=64", "align.log=true"}});
  all.push_back({"ta-dqn", breakout, {"loss=mse", "max_grad_norm=0.1"}});
  all.push_back({"ta-dqn", breakout, {"policy.net_arch=[512,64,64]", "dueling=true"}});
  all.push_back({"ta-dqn", breakout, {"optimizer=adam", "tau=0.3"}});
  all.push_back({"ta-dqn", breakout, {"rmsprop.centered=true", "align.mode=weight"}});
  all.push_back({"ta-dqn+per", breakout, {"replay.draw=stratified", "align.mode=scale"}});
  return all;
}

TEST(FleetParity, F32DrawsAndKeepsWhatTheCpuDoes) {
  for (const Case& c : cases()) {
    std::string what;
    double distance = 0;
    const std::int64_t split = first_split(test::short_run(c.algo, c.env, c.set), what, distance);
    std::printf("%-60s %s distance %.3g\n", name_of(c).c_str(),
                split == 0 ? "equal for 1000 steps,"
                           : ("SPLIT at " + std::to_string(split) + " in " + what + ",").c_str(),
                distance);
    EXPECT_EQ(split, 0) << name_of(c) << ": " << what;
    EXPECT_LT(distance, 1e-4) << name_of(c);
  }
}

TEST(FleetParity, RunFoldersAreTheCpus) {
  for (const char* algo : {"ta-dqn", "dqn+reaper"}) {
    const train::RunConfig config = test::short_run(algo, "minatar/asterix", {"eval.count=4"});
    tarl::test::TemporaryFolder cpu, gpu;
    train::run_training({.config = config, .folder = cpu.path() / "run"});
    ASSERT_EQ(test::work(config, gpu.path() / "run"), FleetRun::State::kFinished);
    for (const char* file : {"evaluations.npz", "evaluations.csv", "monitor.csv", "config.toml"}) {
      EXPECT_EQ(test::bytes_of(cpu.path() / "run" / file),
                test::bytes_of(gpu.path() / "run" / file))
          << algo << " " << file;
    }
    EXPECT_TRUE(fs::exists(gpu.path() / "run" / "model.safetensors"));
  }
}

}  // namespace
}  // namespace tarl::fleet
