// SPDX-License-Identifier: MIT
//
// An agent's results do not depend on the schedule.
#include "fleet/actor_critic_cases.h"
#include "fleet/emulated/machine.h"
#include "fleet/gpu/fleet_helpers.h"
#include <gtest/gtest.h>

namespace tarl::fleet {
namespace {

using emulated::Schedule;

// Enough transitions that most steps do not draw their own, in a buffer that wraps around.
constexpr std::int64_t kSteps = 152;

std::uint64_t hash_after(const train::RunConfig& config, const Schedule& schedule) {
  emulated::set_schedule(schedule);
  const auto agent = test::new_device_agent(config);
  test::advance(*agent, kSteps);
  emulated::set_schedule({});
  EXPECT_EQ(agent->state().updates, kSteps - config.learning_starts);
  return test::hash_of(*agent);
}

TEST(EmulatedSchedules, AgentsAreTheSameUnderAll) {
  const Schedule schedules[] = {
      {},
      {.order = Schedule::Order::kDescending, .poison = 0x55},
      {.order = Schedule::Order::kShuffled, .seed = 1},
      {.order = Schedule::Order::kShuffled, .seed = 2, .late = false, .poison = 0}};

  const struct {
    const char *algo, *env, *precision, *blocks;
  } cases[] = {{"dqn", "minatar/seaquest", "fp16", "1"},
               {"ta-ddqn+per", "minatar/breakout", "fp16", "1"},
               {"ta-dqn+reaper", "minatar/asterix", "fp16", "1"},
               {"ta-dqn+reaper", "minatar/breakout", "f32", "1"},
               {"ta-dqn", "minatar/freeway", "tf32", "1"},
               {"dqn", "minatar/breakout", "fp16", "2"},
               {"ta-dqn", "minatar/breakout", "fp16", "4"}};

  for (const auto& c : cases) {
    const train::RunConfig config = test::short_run(
        c.algo, c.env,
        {std::string("fleet.precision=") + c.precision, std::string("fleet.blocks=") + c.blocks,
         "learning_starts=140", "buffer_size=145", "target_update_interval=5"});
    const std::uint64_t usual = hash_after(config, {});
    for (std::size_t i = 0; i < std::size(schedules); ++i) {
      EXPECT_EQ(hash_after(config, schedules[i]), usual)
          << c.algo << " " << c.env << " " << c.precision << " x" << c.blocks << " schedule " << i;
    }
  }
}

TEST(EmulatedSchedules, RunsOfTheHostAreTheSameUnderAll) {
  const train::RunConfig config = test::actor_critic_run("ta-sac", "classic/pendulum", 4);
  for (const Schedule& schedule :
       {Schedule{.order = Schedule::Order::kDescending, .poison = 0x55},
        Schedule{.order = Schedule::Order::kShuffled, .seed = 1, .poison = 0}}) {
    emulated::set_schedule(schedule);
    test::expect_the_loops({config}, {35});
    emulated::set_schedule({});
  }
}

// Nothing that a step prepares for the next one may be needed across slices.
TEST(EmulatedSchedules, SlicesMayEndAnywhere) {
  const struct {
    const char *algo, *precision, *blocks;
  } cases[] = {{"dqn", "fp16", "1"},
               {"ta-dqn", "fp16", "2"},
               {"ta-dqn+per", "f32", "1"},
               {"dqn+reaper", "fp16", "1"},
               {"ta-dqn+reaper", "f32", "1"}};

  for (const auto& c : cases) {
    const Precision precision =
        c.precision == std::string("f32") ? Precision::kF32 : Precision::kFp16;
    const train::RunConfig config = test::short_run(
        c.algo, "minatar/breakout",
        {std::string("fleet.precision=") + c.precision, std::string("fleet.blocks=") + c.blocks,
         "learning_starts=130", "steps=200", "buffer_size=135", "target_update_interval=5",
         "eval.count=20"});
    const auto whole = test::new_device_agent(config);
    auto sliced = test::new_device_agent(config);
    test::advance(*whole, kSteps);
    for (std::int64_t step = 120; step <= kSteps; ++step) test::advance(*sliced, step);
    EXPECT_EQ(test::hash_of(*sliced), test::hash_of(*whole)) << c.algo << " " << c.precision;
    // Nothing is lost when an agent leaves the device and continues later.
    sliced = test::new_device_agent(config);
    for (const std::int64_t step : {137, 143, 144}) {
      test::advance(*sliced, step);
      sliced = make_device_agent(make_spec(config), sliced->download(),
                                 {.precision = precision, .eval_keys = evaluation_keys(config)});
    }
    test::advance(*sliced, kSteps);
    EXPECT_EQ(test::hash_of(*sliced), test::hash_of(*whole)) << c.algo << " " << c.precision;
  }
}

// A run whose gradients exceed the range of fp16.
std::unique_ptr<DeviceAgent> agent_too_large(const train::RunConfig& config) {
  const AgentSpec spec = make_spec(config);
  AgentImage image = test::new_device_agent(config)->download();
  const LayerPlan& head = spec.net.layer[1];
  for (int i = head.weight; i < head.weight + head.in * head.out; ++i) image.values[i] *= 1e6F;
  return make_device_agent(spec, image,
                           {.precision = Precision::kFp16, .eval_keys = evaluation_keys(config)});
}

std::vector<std::string> half_with(std::vector<std::string> set) {
  set.insert(set.end(), {"fleet.precision=fp16", "steps=200", "buffer_size=135"});
  return set;
}

TEST(EmulatedSchedules, StepsPlayOnWhereNothingMoves) {
  for (const char* algo : {"dqn+per", "dqn+reaper"}) {
    const train::RunConfig config = test::short_run(
        algo, "minatar/breakout", half_with({"on_nan=skip", "learning_starts=130"}));
    const auto whole = agent_too_large(config), sliced = agent_too_large(config);
    test::advance(*whole, kSteps);
    for (std::int64_t step = 120; step <= kSteps; ++step) test::advance(*sliced, step);
    EXPECT_EQ(whole->state().optimizer_steps, 0) << algo;
    EXPECT_EQ(whole->state().skipped, kSteps - config.learning_starts) << algo;
    EXPECT_EQ(test::hash_of(*sliced), test::hash_of(*whole)) << algo;
  }
}

// The replay of a stopped run contains only transitions that were played.
TEST(EmulatedSchedules, NothingIsAddedWhereARunStops) {
  for (int start = 130; start < 136; ++start) {
    const train::RunConfig config = test::short_run(
        "dqn+reaper", "minatar/breakout", half_with({"learning_starts=" + std::to_string(start)}));
    const auto agent = agent_too_large(config);
    test::advance(*agent, kSteps);
    EXPECT_EQ(agent->state().end, SliceEnd::kNonfinite);
    std::int64_t newest = 0;
    const AgentImage image = agent->download();
    for (const replay::ReaperEpisode& episode : image.reaper.episode) {
      newest = std::max(newest, episode.end);
    }
    EXPECT_EQ(newest, start + 1);
  }
}

}  // namespace
}  // namespace tarl::fleet
