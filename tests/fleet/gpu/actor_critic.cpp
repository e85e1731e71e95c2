// SPDX-License-Identifier: MIT
//
// SAC, TD3 and DDPG with their networks on the device, or on the emulated one: stored references,
// runs against the CPU's, and runs in fp16 against each other.
#include <iomanip>
#include <sstream>

#include "fixtures/updates_actor_critic.h"
#include "fleet/actor_critic_cases.h"

#include "tarl/agents/sac.h"
#include "tarl/agents/td3.h"
#include "tarl/fleet/actor_critic/agent.h"

namespace tarl::fleet {
namespace {

using test::actor_critic_run;

constexpr const char* kPendulum = "classic/pendulum";

// One update or more of a stored reference, by the device.
class FixtureUpdate {
 public:
  FixtureUpdate(const fixtures::Case& test, bool sac)
      : test_(test), sac_(sac), rows_(static_cast<int>(test.number("m") + test.number("b"))) {
    spec_.obs = fixtures::twin_obs(test);
    spec_.action = fixtures::twin_action(test);
    config_ = train::resolve(
        {.algo = sac ? "ta-sac" : "ta-td3", .env = "classic/pendulum", .set = settings()});
    cpu_ = make_cpu();
    fixtures::load_twin_start(test, *cpu_);
    StateWriter out(loop_);
    StateWriter agent = out.group(train::kAgentGroup), learner = out.group(train::kLearnerGroup);
    cpu_->save(agent);
    train::LearnerState{}.save(learner);
    agent_.emplace(*device_, config_, spec_, StateReader(loop_, "fixture"),
                   replay::Storage(spec_.obs, spec_.action, config_.buffer_size, 1));
  }

  void run(fixtures::Checker& check) {
    for (int k = 0; k < static_cast<int>(test_.number("steps")); ++k) {
      step("step" + std::to_string(k) + ".", check);
    }
    Tensors state;
    StateWriter out(state);
    agent_->save(out);
    cpu_->load(StateReader(state, "device"));
    fixtures::check_twin_end(test_, *cpu_, check);
  }

 private:
  std::vector<std::string> settings() const {
    const auto exact = [&](const char* key, const char* name) {
      std::ostringstream text;
      text << key << "=" << std::setprecision(17) << test_.number(name);
      return text.str();
    };
    const std::string width = std::to_string(static_cast<int>(test_.number("hidden")));
    std::vector<std::string> set = {
        "policy.net_arch=[" + width + "," + width + "]",
        "batch_size=" + std::to_string(static_cast<int>(test_.number("m"))),
        "align.margin=" + std::to_string(test_.number("b") / test_.number("m")),
        "buffer_size=" + std::to_string(rows_),
        exact("learning_rate", "lr"),
        exact("tau", "tau"),
        exact("gamma", "gamma")};
    if (sac_) {
      set.push_back(exact("target_entropy", "target_entropy"));
    } else {
      set.push_back("policy_delay=" +
                    std::to_string(static_cast<int>(test_.number("policy_delay"))));
      set.push_back(exact("target_policy_noise", "policy_noise"));
      set.push_back(exact("target_noise_clip", "noise_clip"));
    }
    return set;
  }

  std::unique_ptr<rl::Agent> make_cpu() {
    if (sac_) {
      return std::make_unique<agents::SacAgent>(config_.agent.as<agents::SacConfig>(), spec_.obs,
                                                spec_.action, rows_, seeded(0), team_);
    }
    return std::make_unique<agents::Td3Agent>(config_.agent.as<agents::Td3Config>(), spec_.obs,
                                              spec_.action, rows_, seeded(0), team_);
  }

  void step(const std::string& name, fixtures::Checker& check) {
    const rl::Batch batch = fixtures::twin_batch(test_, name);
    std::vector<std::int64_t> slots;
    for (int row = 0; row < rows_; ++row) {
      const auto at = static_cast<std::size_t>(row);
      std::vector<float> values;
      const auto append = [&](const std::byte* from, std::size_t floats) {
        values.resize(values.size() + floats);
        std::memcpy(values.data() + values.size() - floats, from, floats * sizeof(float));
      };
      const auto obs = static_cast<std::size_t>(spec_.obs.size());
      append(batch.obs_row(row), obs);
      const float* action = batch.action.data() + row * spec_.action.size;
      values.insert(values.end(), action, action + spec_.action.size);
      append(batch.next_obs_row(row), obs);
      values.insert(values.end(), {batch.reward[at], batch.discount[at]});
      agent_->networks().store(row, values);
      slots.push_back(row);
    }
    agent_->networks().use_noise(test_.floats(name + "eps_next"),
                                 sac_ ? test_.floats(name + "eps_pi") : std::vector<float>{});
    agent_->update(slots, 0);
    train::Means means;
    while (!agent_->updated(means)) device_->turn();
    const std::vector<std::int32_t> kept = agent_->networks().kept();
    std::vector<std::int64_t> ours(kept.begin(), kept.end()),
        theirs = test_.integers(name + "kept");
    std::ranges::sort(theirs);
    check.equal(name + "kept", ours, theirs);
    const double loss = means.total(rl::Metric::kCriticLoss).sum;
    fixtures::check_scalar(test_, name + "critic_loss", loss, check);
  }

  const fixtures::Case& test_;
  const bool sac_;
  const int rows_;
  rl::EnvSpec spec_;
  train::RunConfig config_;
  Team team_{1};
  Tensors loop_;
  std::unique_ptr<rl::Agent> cpu_;
  std::shared_ptr<actor_critic::Device> device_ = actor_critic::make_device();
  std::optional<actor_critic::Agent> agent_;
};

void expect_the_fixtures(const std::string& family, bool sac) {
  int cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixtures::root() / family)) {
    const std::string name = entry.path().stem().string();
    if (name.starts_with("params_")) continue;
    const fixtures::Case test(entry.path());
    fixtures::Checker check;
    FixtureUpdate(test, sac).run(check);
    EXPECT_TRUE(check.passed()) << family << "/" << name << ": " << check.failures().front();
    EXPECT_GT(check.compared(), 1000) << name;
    ++cases;
  }
  EXPECT_GT(cases, 0) << family;
}

TEST(FleetActorCritic, UpdatesAsTheReferencesOfSac) {
  expect_the_fixtures("updates_sac", true);
}

TEST(FleetActorCritic, UpdatesAsTheReferencesOfTd3) {
  expect_the_fixtures("updates_td3", false);
}

// All of them in the same waves, of all shapes.
TEST(FleetActorCritic, IsTheLoopToTheBitAmongOthers) {
  test::expect_the_loops(
      {actor_critic_run("sac", kPendulum, 1), actor_critic_run("ta-sac", kPendulum, 2),
       actor_critic_run("td3", kPendulum, 3),
       actor_critic_run("ta-td3", kPendulum, 4,
                        {"align.margin=3", "td3.alignment_target=independent"}),
       actor_critic_run("ddpg", kPendulum, 5),
       actor_critic_run("ta-sac", kPendulum, 6,
                        {"policy.net_arch=[70,9]", "ent_coef=0.2", "gradient_steps=2",
                         "target_update_interval=3", "learning_rate_schedule=linear"}),
       actor_critic_run("sac", kPendulum, 7, {"n_envs=2", "tau=1", "buffer_size=12"})},
      {30, 90});
}

TEST(FleetActorCritic, IsTheLoopToTheBitAlone) {
  test::expect_the_loops({actor_critic_run("ta-sac", kPendulum, 2)}, {90});
}

TEST(FleetActorCritic, IsTheLoopToTheBitInMujoco) {
  if (!kMujocoBuilt) GTEST_SKIP() << "MuJoCo is not in this build";
  test::expect_the_loops({actor_critic_run("ta-sac", "mujoco/hopper", 1, {"batch_size=70"}),
                          actor_critic_run("ta-td3", "mujoco/hopper", 2)},
                         {50});
}

// From the CPU to the device and back, in the middle of a step, too.
TEST(FleetActorCritic, MovesToTheLoopAndBack) {
  for (const char* algo : {"ta-sac", "td3"}) {
    for (const std::int64_t stop : {50, 75}) {  // at 75 an evaluation is due
      test::expect_moves(actor_critic_program().make, actor_critic_run(algo, kPendulum, 8), stop,
                         110);
    }
  }
}

TEST(FleetActorCritic, StopsAtAValueThatIsNotFinite) {
  test::expect_the_same_stop(actor_critic_program().make, actor_critic_run("ta-sac", kPendulum, 2),
                             40);
}

train::RunConfig fp16_run(const std::string& algo, int seed, std::vector<std::string> more = {}) {
  more.emplace_back("fleet.precision=fp16");
  return actor_critic_run(algo, kPendulum, seed, std::move(more));
}

TEST(FleetActorCritic, Fp16StopsAtAValueThatIsNotFinite) {
  test::expect_the_same_stop(actor_critic_program().make, fp16_run("ta-sac", 2), 40);
}

// Its results are its own, whoever is in the waves beside it, in whatever precision, and wherever
// it stops.
TEST(FleetActorCritic, Fp16IsTheSameAloneAndAmongOthersAndResumed) {
  for (const char* algo : {"ta-sac", "ta-td3"}) {
    const train::RunConfig config = fp16_run(algo, 2), f32 = actor_critic_run(algo, kPendulum, 3);
    const auto alone = test::actor_critic_case(config);
    alone->run_to(90);
    std::vector<std::unique_ptr<test::DeviceCase>> cases;
    for (const train::RunConfig& one :
         {config, f32, fp16_run("sac", 4, {"policy.net_arch=[70,9]"}), fp16_run("ddpg", 5)}) {
      cases.push_back(test::actor_critic_case(one));
    }
    test::run_all_to(cases, 50, 17);
    const auto resumed = test::actor_critic_case(config, cases.front()->state());
    test::run_all_to(cases, 90, 17);
    resumed->run_to(90);
    test::expect_same(cases.front()->state(), alone->state(), "among others");
    test::expect_same(resumed->state(), alone->state(), "resumed");
    test::CpuRun loop(f32);
    loop.run_to(90);
    test::expect_same(cases[1]->state(), loop.state(), "f32 among fp16");
  }
}

// What the CPU saved is what the device holds, and the other way round.
TEST(FleetActorCritic, Fp16MovesToTheLoopAndBack) {
  for (const char* algo : {"ta-sac", "td3"}) {
    const train::RunConfig config = fp16_run(algo, 8);
    test::CpuRun before(config), after(config);
    before.run_to(50);
    const auto run = test::actor_critic_case(config, before.state());
    test::expect_same(run->state(), before.state(), "on the device");
    run->run_to(90);
    const Tensors saved = run->state();
    after.loop.load(StateReader(saved, "test"));
    test::expect_same(after.state(), saved, "back on the CPU");
    after.run_to(110);
    const auto again = test::actor_critic_case(config, after.state());
    again->run_to(130);
    EXPECT_EQ(again->step(), 130);
  }
}

}  // namespace
}  // namespace tarl::fleet
