// SPDX-License-Identifier: MIT
#include "tarl/agents/dqn.h"

#include <cmath>
#include <limits>

#include "agents/dqn_helpers.h"
#include "support/update_stats.h"

#include "tarl/agents/td_target.h"
#include "tarl/core/error.h"
#include "tarl/nn/instruction_set.h"

namespace tarl::agents {

namespace {

struct Variant {
  const char* name;
  bool bits;
  bool dueling;
  bool double_q;
  nn::OptimizerKind optimizer;
  std::vector<std::int64_t> net_arch;

  DqnConfig config() const {
    DqnConfig out;
    out.dueling = dueling;
    out.double_q = double_q;
    out.optimizer = optimizer;
    out.net_arch = net_arch;
    return completed(out, obs().kind);
  }

  rl::ObsSpec obs() const { return bits ? bits_spec() : floats_spec(); }
};

class DqnVariants : public testing::TestWithParam<Variant> {
 protected:
  DqnAgent make(int rows, Team& team) const {
    const Variant& variant = GetParam();
    return {variant.config(), variant.obs(), five_actions(), rows, seeded(3), team};
  }

  Rng rng_ = seeded(11);
  Team team_{1};
};

// A few updates with a filter, weights and a sync: everything that enters the state.
std::vector<float> train_a_little(DqnAgent& agent, const rl::ObsSpec& spec) {
  Rng rng = seeded(6);
  for (int step = 0; step < 4; ++step) {
    const rl::Batch batch = random_batch(spec, 37, rng);
    agent.assess(batch, true, rng);
    std::vector<std::int32_t> kept;
    std::vector<float> weight;
    for (int row = 36; row >= 0; row -= 1 + step % 2) {
      kept.push_back(row);
      weight.push_back(static_cast<float>(0.5 + rng.uniform()));
    }
    agent.update(kept, weight, rng);
    if (step == 1) agent.sync_target(1);
    if (step == 2) agent.sync_target(0.3);
  }
  Tensors state = saved(agent);
  state.erase("optimizer.steps");
  return flat(state);
}

TEST_P(DqnVariants, HaveTheSameBitsForAnyTeamAndInstructionSet) {
  std::vector<float> first;
  for (const std::string& set : nn::instruction_sets()) {
    nn::use_instruction_set(set);
    for (const int threads : {1, 2, 3}) {
      Team team(threads);
      DqnAgent agent = make(37, team);
      const std::vector<float> got = train_a_little(agent, GetParam().obs());
      if (first.empty()) first = got;
      EXPECT_EQ(first, got) << set << ", " << threads << " threads";
    }
  }
  nn::use_instruction_set("auto");
}

// Rejected rows leave no trace: the kept rows of a large batch against a batch of only these.
TEST_P(DqnVariants, GradientOfKeptRowsEqualsThatOfABatchOfThem) {
  const rl::ObsSpec spec = GetParam().obs();
  DqnAgent filtered = make(40, team_), alone = make(40, team_);
  const rl::Batch batch = random_batch(spec, 40, rng_);
  const std::vector<std::int32_t> kept{31, 2, 3, 17, 39, 0, 22};
  std::vector<std::int32_t> sorted = kept;
  std::sort(sorted.begin(), sorted.end());
  filtered.assess(batch, true, rng_);
  filtered.update(kept, ones(kept.size()), rng_);
  const rl::Batch small = some_rows(batch, spec, sorted);
  alone.assess(small, false, rng_);
  alone.update(first_rows(7), ones(7), rng_);
  EXPECT_EQ(flat(filtered.gradients()), flat(alone.gradients()));
  EXPECT_EQ(flat(filtered.parameters()), flat(alone.parameters()));
}

TEST_P(DqnVariants, RowsOfWeightZeroContributeNothing) {
  const rl::ObsSpec spec = GetParam().obs();
  DqnAgent masked = make(24, team_), kept_only = make(24, team_);
  const rl::Batch batch = random_batch(spec, 24, rng_);
  std::vector<float> weight(24, 0.0F);
  for (int row = 0; row < 24; row += 2) weight[static_cast<std::size_t>(row)] = 2.0F;
  masked.assess(batch, false, rng_);
  masked.update(first_rows(24), weight, rng_);
  std::vector<std::int32_t> even;
  for (int row = 0; row < 24; row += 2) even.push_back(row);
  kept_only.assess(batch, false, rng_);
  kept_only.update(even, ones(12), rng_);
  EXPECT_EQ(flat(masked.gradients()), flat(kept_only.gradients()));
}

TEST_P(DqnVariants, GradientAgreesWithFiniteDifferences) {
  const rl::ObsSpec spec = GetParam().obs();
  DqnAgent agent = make(12, team_);
  const rl::Batch batch = random_batch(spec, 12, rng_);
  std::vector<float> y;
  {
    const rl::Assessment& got = agent.assess(batch, false, rng_);
    y.assign(got.y_offline.begin(), got.y_offline.end());
  }
  const Tensors start = agent.parameters();
  agent.update(first_rows(12), ones(12), rng_);
  const Tensors gradients = agent.gradients();
  // Targets are constants: the loss against the y of the start.
  const auto loss_at = [&](const Tensors& parameters) {
    agent.set_parameters(StateReader(parameters, "test"));
    const rl::Assessment& got = agent.assess(batch, false, rng_);
    double sum = 0;
    for (std::size_t i = 0; i < 12; ++i) {
      sum += nn::loss_value(nn::LossKind::kHuber, double{got.q[i]} - double{y[i]});
    }
    return sum / 12;
  };
  int checked = 0, wrong = 0;
  for (const auto& [name, gradient] : gradients) {
    const std::size_t step = std::max<std::size_t>(1, gradient.count() / 12);
    for (std::size_t i = 0; i < gradient.count(); i += step, ++checked) {
      Tensors moved = start;
      float* value = reinterpret_cast<float*>(moved.at(name).bytes.data()) + i;
      const double h = 1e-3;
      *value += static_cast<float>(h);
      const double above = loss_at(moved);
      *value -= static_cast<float>(2 * h);
      const double slope = (above - loss_at(moved)) / (2 * h);
      wrong += std::fabs(slope - double{gradient.as<float>()[i]}) > 1e-3 ? 1 : 0;
    }
  }
  EXPECT_GT(checked, 40);
  EXPECT_LE(wrong, checked / 20);  // ReLUs at their corner
}

TEST_P(DqnVariants, RowsDoNotDependOnTheirCompany) {
  const rl::ObsSpec spec = GetParam().obs();
  DqnAgent agent = make(33, team_);
  const rl::Batch batch = random_batch(spec, 33, rng_);
  const rl::Assessment& got = agent.assess(batch, true, rng_);
  const std::vector<float> q(got.q.begin(), got.q.end());
  const std::vector<float> y(got.y_offline.begin(), got.y_offline.end());
  const std::vector<float> y_online(got.y_online.begin(), got.y_online.end());
  std::vector<rl::Action> together(33), alone(1);
  std::vector<Rng> streams(33);
  agent.act(batch.obs, 33, {}, streams, together);
  for (int row = 0; row < 33; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const rl::Batch one = some_rows(batch, spec, {row});
    const rl::Assessment& single = agent.assess(one, true, rng_);
    EXPECT_EQ(single.q[0], q[i]);
    EXPECT_EQ(single.y_offline[0], y[i]);
    EXPECT_EQ(single.y_online[0], y_online[i]);
    EXPECT_EQ(single.abs_error[0], std::fabs(y[i] - q[i]));
    agent.act(one.obs, 1, {}, streams, alone);
    EXPECT_EQ(alone[0].index, together[i].index);
  }
}

TEST_P(DqnVariants, TargetsFollowTheEquation) {
  const rl::ObsSpec spec = GetParam().obs();
  DqnAgent agent = make(16, team_);
  const rl::Batch first = random_batch(spec, 16, rng_), batch = random_batch(spec, 16, rng_);
  for (int i = 0; i < 20; ++i) {  // moves the online network off its target
    agent.assess(first, false, rng_);
    agent.update(first_rows(16), ones(16), rng_);
  }
  const rl::Assessment& got = agent.assess(batch, true, rng_);
  // Q of every action at s' through q(s, a) of a batch whose s is that s'.
  const auto q_at_next = [&](DqnAgent& of, int row, int action) {
    rl::Batch probe = some_rows(batch, spec, {row});
    probe.obs = probe.next_obs;
    probe.action_index[0] = action;
    return of.assess(probe, false, rng_).q[0];
  };
  const std::vector<float> y_on(got.y_online.begin(), got.y_online.end());
  const std::vector<float> y_off(got.y_offline.begin(), got.y_offline.end());
  DqnAgent target = make(16, team_);  // the parameters both networks started from
  for (int row = 0; row < 16; ++row) {
    const auto i = static_cast<std::size_t>(row);
    std::vector<float> online_q, target_q;
    for (int a = 0; a < kActions; ++a) {
      online_q.push_back(q_at_next(agent, row, a));
      target_q.push_back(q_at_next(target, row, a));
    }
    const int online_best = greedy_action(online_q.data(), kActions);
    const int chosen = GetParam().double_q ? online_best : greedy_action(target_q.data(), kActions);
    const float r = batch.reward[i], discount = batch.discount[i];
    EXPECT_EQ(y_on[i], r + discount * online_q[static_cast<std::size_t>(online_best)]);
    EXPECT_EQ(y_off[i], r + discount * target_q[static_cast<std::size_t>(chosen)]);
  }
}

TEST_P(DqnVariants, ContinueFromASavedStateToTheBit) {
  const rl::ObsSpec spec = GetParam().obs();
  DqnAgent agent = make(37, team_);
  train_a_little(agent, spec);
  const Tensors state = saved(agent);
  DqnConfig config = GetParam().config();
  DqnAgent other(config, spec, five_actions(), 37, seeded(99), team_);
  other.load(StateReader(state, "memory"));
  EXPECT_EQ(train_a_little(agent, spec), train_a_little(other, spec));
}

TEST_P(DqnVariants, LearnTheValueOfARewardedAction) {
  const rl::ObsSpec spec = GetParam().obs();
  DqnAgent agent = make(32, team_);
  rl::Batch batch = random_batch(spec, 32, rng_);
  double first = 0, last = 0;
  for (int step = 0; step < 300; ++step) {
    for (std::size_t i = 0; i < 32; ++i) {
      batch.action_index[i] = static_cast<std::int32_t>(rng_.below(kActions));
      batch.reward[i] = batch.action_index[i] == 2 ? 1.0F : 0.0F;
      batch.discount[i] = 0;
    }
    agent.assess(batch, false, rng_);
    const double loss = test::stat(agent.update(first_rows(32), ones(32), rng_), rl::Metric::kLoss);
    first += step < 20 ? loss : 0;
    last += step >= 280 ? loss : 0;
  }
  EXPECT_LT(last, first / 2);
  std::vector<rl::Action> actions(32);
  std::vector<Rng> streams(32);
  agent.act(batch.obs, 32, {}, streams, actions);
  int right = 0;
  for (const rl::Action& action : actions) right += action.index == 2 ? 1 : 0;
  EXPECT_GE(right, 30);
}

INSTANTIATE_TEST_SUITE_P(
    All, DqnVariants,
    testing::Values(
        Variant{"mlp", false, false, false, nn::OptimizerKind::kRmsprop, {}},
        Variant{"mlp_dueling_double", false, true, true, nn::OptimizerKind::kAdam, {40}},
        Variant{"minatar", true, false, false, nn::OptimizerKind::kRmsprop, {}},
        Variant{"minatar_double", true, false, true, nn::OptimizerKind::kAdam, {48, 24}},
        Variant{"minatar_dueling", true, true, false, nn::OptimizerKind::kRmsprop, {64, 32}}),
    [](const testing::TestParamInfo<Variant>& test) { return std::string(test.param.name); });

TEST(DqnAgent, RefusesToLearnFromWhatIsNotFinite) {
  Team team(2);
  DqnAgent agent(plain_config(floats_spec()), floats_spec(), five_actions(), 16, seeded(1), team);
  Rng rng = seeded(2);
  rl::Batch batch = random_batch(floats_spec(), 16, rng);
  const std::vector<float> before = flat(agent.parameters());
  for (const float bad : {std::numeric_limits<float>::infinity(), NAN}) {
    batch.reward[3] = bad;
    agent.assess(batch, false, rng);
    EXPECT_THROW(agent.update(first_rows(16), ones(16), rng), NonFiniteError);
  }
  batch.reward[3] = 0;
  std::memcpy(batch.obs.data() + 8, &batch.reward[2], 4);
  const float nan = NAN;
  std::memcpy(batch.obs.data() + 12, &nan, 4);
  agent.assess(batch, false, rng);
  EXPECT_THROW(agent.update(first_rows(16), ones(16), rng), NonFiniteError);
  EXPECT_EQ(before, flat(agent.parameters()));
  // A bad row that is not kept does no harm.
  batch.reward[5] = NAN;
  agent.assess(batch, false, rng);
  agent.update(std::vector<std::int32_t>{1, 2, 3}, ones(3), rng);
  EXPECT_NE(before, flat(agent.parameters()));
}

TEST(DqnAgent, ExploresByTheStreamOfEachRow) {
  Team team(1);
  DqnAgent agent(plain_config(floats_spec()), floats_spec(), five_actions(), 8, seeded(1), team);
  Rng rng = seeded(2);
  const rl::Batch batch = random_batch(floats_spec(), 40, rng);  // more rows than a batch has
  std::vector<Rng> streams, expected;
  for (int i = 0; i < 40; ++i) streams.push_back(seeded(100).fork(std::to_string(i)));
  expected = streams;
  std::vector<rl::Action> greedy(40), out(40);
  agent.act(batch.obs, 40, {}, streams, greedy);
  EXPECT_EQ(streams, expected) << "greedy acting draws nothing";
  agent.act(batch.obs, 40, {.explore = true, .epsilon = 0.5}, streams, out);
  int random = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    if (expected[i].uniform() < 0.5) {
      ++random;
      EXPECT_EQ(out[i].index, static_cast<int>(expected[i].below(kActions)));
    } else {
      EXPECT_EQ(out[i].index, greedy[i].index);
    }
  }
  EXPECT_EQ(streams, expected);
  EXPECT_GT(random, 8);
  EXPECT_LT(random, 32);
}

TEST(GreedyAction, TakesTheLowestOfEqualValues) {
  const float q[] = {1, 3, 3, 2};
  EXPECT_EQ(greedy_action(q, 4), 1);
}

TEST(DqnAgent, SyncCopiesOrAverages) {
  Team team(1);
  DqnAgent agent(plain_config(floats_spec()), floats_spec(), five_actions(), 16, seeded(1), team);
  Rng rng = seeded(2);
  const rl::Batch batch = random_batch(floats_spec(), 16, rng);
  agent.assess(batch, false, rng);
  agent.update(first_rows(16), ones(16), rng);
  const Tensors before = saved(agent);
  agent.sync_target(0.25);
  const float online = before.at("q.out.bias").as<float>()[1];
  const float target = before.at("target.out.bias").as<float>()[1];
  EXPECT_NE(online, target);
  EXPECT_NEAR(saved(agent).at("target.out.bias").as<float>()[1], 0.75 * target + 0.25 * online,
              1e-7);
  agent.sync_target(1);
  const Tensors after = saved(agent);
  for (const auto& [name, tensor] : agent.parameters()) {
    EXPECT_EQ(after.at("target." + name.substr(2)).bytes, tensor.bytes);
  }
}

TEST(DqnAgent, CountsItsWorkDensely) {
  Team team(1);
  rl::ActionSpec six;
  six.count = 6;
  const DqnAgent agent(plain_config(bits_spec()), bits_spec(), six, 64, seeded(1), team);
  EXPECT_NEAR(agent.update_flops(32, 32, false), 40.8e6, 0.05e6);
  EXPECT_NEAR(agent.update_flops(64, 32, true), 84.0e6, 0.05e6);
}

TEST(DqnConfig, SetsByPublicNamesAndRefusesNetworksThatDoNotFit) {
  DqnConfig config;
  Fields table = fields(config);
  set_field(table, "policy.net_arch", "[512, 64, 64]", "test");
  set_field(table, "policy.network", "minatar", "test");
  set_field(table, "rmsprop.centered", "true", "test");
  EXPECT_EQ(config.net_arch, (std::vector<std::int64_t>{512, 64, 64}));
  EXPECT_TRUE(config.rmsprop_centered);
  EXPECT_THROW(set_field(table, "loss", "l1", "test"), UsageError);
  Team team(1);
  EXPECT_THROW(DqnAgent(config, floats_spec(), five_actions(), 4, seeded(1), team), UsageError);
  const DqnAgent agent(config, bits_spec(), five_actions(), 4, seeded(1), team);
  EXPECT_EQ(agent.parameters().at("q.fc1.weight").shape, (std::vector<std::int64_t>{512, 1024}));
  EXPECT_EQ(agent.parameters().at("q.conv.weight").shape, (std::vector<std::int64_t>{16, 4, 3, 3}));
}

}  // namespace

}  // namespace tarl::agents
