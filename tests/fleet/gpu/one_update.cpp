// SPDX-License-Identifier: MIT
//
// One update in fp16 and in tf32 against the f32 one, which is bit-identical to the CPU's.
#include "fleet/gpu/fleet_helpers.h"
#include <gtest/gtest.h>

namespace tarl::fleet {
namespace {

double norm_of(const DeviceAgent& agent) {
  return agent.state().sum[rl::index_of(Metric::kGradNorm)];
}

// Least-squares differences, since rounding may flip the ReLU of single units.
struct Difference {
  double square = 0, size = 0;

  double relative() const { return std::sqrt(square / size); }
};

template <class Values>
Difference difference(const Values& a, const Values& b) {
  Difference out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = double{a[i]} - double{b[i]};
    out.square += difference * difference;
    out.size += double{b[i]} * double{b[i]};
  }
  return out;
}

std::vector<float> change(const std::vector<float>& before, std::vector<float> after) {
  for (std::size_t i = 0; i < after.size(); ++i) after[i] -= before[i];
  return after;
}

// Part of a flat array of parameters.
std::vector<float> part(const std::vector<float>& values, int first, int count) {
  return {values.begin() + first, values.begin() + first + count};
}

struct Case {
  const char *algo, *env;
  std::vector<std::string> set;
};

// Requires that at least `least_acted` cases act beside the candidates; a step that draws its own
// transition does not.
void expect_fp16_near_f32(int least_acted, std::initializer_list<Case> cases) {
  int acted = 0;
  for (const Case& c : cases) {
    std::vector<std::string> set = c.set;
    set.insert(set.end(),
               {"fleet.precision=fp16", "exploration_initial_eps=0", "exploration_final_eps=0"});
    const train::RunConfig fast = test::short_run(c.algo, c.env, set);
    train::RunConfig config = fast;
    config.fleet.precision = Precision::kF32;
    config.fleet.blocks = 1;
    const auto exact = test::new_device_agent(config, true);
    const auto rounded = test::new_device_agent(fast, true);
    const AgentSpec spec = make_spec(config);
    const std::vector<float> before = exact->download().values;
    for (DeviceAgent* agent : {exact.get(), rounded.get()}) {
      test::advance(*agent, config.learning_starts + 1);
    }
    const LastUpdate a = rounded->last_update(), b = exact->last_update();
    const AgentImage fp16 = rounded->download(), f32 = exact->download();
    ASSERT_EQ(a.index, b.index);
    const double q = difference(a.q, b.q).relative();
    const double y = difference(a.y_offline, b.y_offline).relative();
    EXPECT_LT(q, 3e-3) << c.algo << " " << c.env;
    EXPECT_LT(y, 3e-3) << c.algo << " " << c.env;
    ASSERT_EQ(a.act_q.size(), b.act_q.size());
    if (!a.act_q.empty()) {
      ++acted;
      EXPECT_LT(difference(a.act_q, b.act_q).relative(), 3e-3) << c.algo << " " << c.env;
    }
    if (a.kept != b.kept) {
      std::printf("%s %s: kept rows differ by rounding\n", c.algo, c.env);
      continue;
    }
    const auto moved16 = change(before, fp16.values), moved32 = change(before, f32.values);
    const LayerPlan &big = spec.net.layer[0], &head = spec.net.layer[1];

    const struct {
      const char* name;
      int first, count;
    } parts[] = {{"conv", 0, spec.net.conv_bias + kMaps},
                 {"big layer", big.weight, big.in * big.out},
                 {"its biases", big.bias, big.out},
                 {"head", head.weight, head.in * head.out},
                 {"its biases", head.bias, head.out}};

    std::printf("%-10s %-24s q %.1e y %.1e", c.algo, c.env, q, y);
    for (const auto& p : parts) {
      const double moved =
          difference(part(moved16, p.first, p.count), part(moved32, p.first, p.count)).relative();
      const double moment =
          difference(part(fp16.moment[0], p.first, p.count), part(f32.moment[0], p.first, p.count))
              .relative();
      std::printf(" | %s %.1e %.1e", p.name, moved, moment);
      EXPECT_LT(moved, 0.1) << c.algo << " " << c.env << " " << p.name;
      EXPECT_LT(moment, 4e-2) << c.algo << " " << c.env << " " << p.name;
    }
    const double norm16 = norm_of(*rounded), norm32 = norm_of(*exact);
    std::printf(" | norm %.5g %.5g\n", norm16, norm32);
    EXPECT_NEAR(norm16 / norm32, 1, 1e-2) << c.algo << " " << c.env;
  }
  EXPECT_GE(acted, least_acted);
}

TEST(FleetPrecision, OneFp16UpdateIsTheF32OneToRounding) {
  expect_fp16_near_f32(9, {{"dqn", "minatar/breakout", {}},
                           {"ta-dqn", "minatar/breakout", {}},
                           {"ta-dqn", "minatar/asterix", {"align.margin=3"}},
                           {"ta-ddqn", "minatar/space_invaders", {"align.margin=0.1"}},
                           {"ddqn", "minatar/freeway", {}},
                           {"ta-dqn", "minatar/freeway", {"align.margin=3", "loss=mse"}},
                           {"ta-dqn", "minatar/seaquest", {}},
                           {"ta-dqn+per", "minatar/seaquest", {"max_grad_norm=0.01"}},
                           {"dqn", "minatar/breakout", {"max_grad_norm=0.01"}},
                           {"dqn", "minatar/breakout", {"batch_size=64", "align.log=true"}},
                           {"dqn", "minatar/asterix", {"batch_size=64", "align.log=true"}},
                           {"ddqn", "minatar/freeway", {"batch_size=64", "max_grad_norm=0.01"}},
                           {"dqn", "minatar/space_invaders", {"batch_size=64", "align.log=true"}},
                           {"ta-dqn", "minatar/breakout", {"batch_size=64"}}});
}

// A separate test, since compute-sanitizer's racecheck does not support blocks that share an agent.
TEST(FleetPrecision, Fp16UpdateOfSeveralBlocksIsTheF32OneToRounding) {
  expect_fp16_near_f32(3, {{"dqn", "minatar/breakout", {"fleet.blocks=2"}},
                           {"ta-dqn", "minatar/breakout", {"fleet.blocks=4", "max_grad_norm=0.01"}},
                           {"ta-ddqn", "minatar/seaquest", {"fleet.blocks=8"}},
                           {"dqn", "minatar/seaquest", {"batch_size=64", "fleet.blocks=2"}}});
}

// Rows and columns that fill their tiles and others that do not; networks of several layers.
TEST(FleetPrecision, OneTf32UpdateIsTheF32OneToRounding) {
  const Case cases[] = {{"dqn", "minatar/breakout", {}},
                        {"ta-dqn", "minatar/asterix", {"align.margin=3"}},
                        {"ta-ddqn", "minatar/space_invaders", {"policy.net_arch=[512,64,64]"}},
                        {"ddqn", "minatar/freeway", {"policy.net_arch=[100]", "batch_size=40"}},
                        {"dqn+per", "minatar/seaquest", {"batch_size=7", "dueling=true"}}};
  for (const Case& c : cases) {
    const std::string name = std::string(c.algo) + " " + c.env;
    const train::RunConfig config = test::short_run(c.algo, c.env, c.set);
    train::RunConfig fast = config;
    fast.fleet.precision = Precision::kTf32;
    const auto exact = test::new_device_agent(config, true),
               rounded = test::new_device_agent(fast, true);
    const std::vector<float> before = exact->download().values;
    for (DeviceAgent* agent : {exact.get(), rounded.get()}) {
      test::advance(*agent, config.learning_starts + 1);
    }
    const LastUpdate a = rounded->last_update(), b = exact->last_update();
    ASSERT_EQ(a.index, b.index) << name;
    const double q = difference(a.q, b.q).relative();
    EXPECT_LT(q, 2e-3) << name;
    EXPECT_GT(q, 1e-6) << name << " rounds nothing";
    EXPECT_LT(difference(a.y_offline, b.y_offline).relative(), 2e-3) << name;
    if (a.kept != b.kept) continue;
    const auto moved = change(before, rounded->download().values);
    const double difference_of_moves =
        difference(moved, change(before, exact->download().values)).relative();
    const double norm = norm_of(*rounded) / norm_of(*exact);
    std::printf("%-34s q %.1e moved %.1e norm %.5f\n", name.c_str(), q, difference_of_moves, norm);
    EXPECT_LT(difference_of_moves, 0.1) << name;
    EXPECT_NEAR(norm, 1, 1e-2) << name;
  }
}

// Weights of the head so large that gradients of H exceed the range of fp16.
TEST(FleetPrecision, WhatDoesNotFitMovesNothing) {
  for (const char* blocks : {"fleet.blocks=1", "fleet.blocks=2"}) {
    const train::RunConfig config =
        test::short_run("ta-dqn", "minatar/breakout", {"fleet.precision=fp16", blocks});
    const AgentSpec spec = make_spec(config);
    AgentImage image = test::new_device_agent(config)->download();
    const LayerPlan& head = spec.net.layer[1];
    for (int i = head.weight; i < head.weight + head.in * head.out; ++i) image.values[i] *= 1e6F;
    const auto agent = make_device_agent(spec, image, {.precision = Precision::kFp16});
    test::advance(*agent, config.learning_starts + 1);
    EXPECT_EQ(agent->state().end, SliceEnd::kNonfinite) << blocks;
    EXPECT_EQ(agent->state().optimizer_steps, 0);
    const AgentImage after = agent->download();
    EXPECT_EQ(after.values, image.values) << blocks;
    EXPECT_EQ(after.moment[0], image.moment[0]) << blocks;
  }
}

}  // namespace
}  // namespace tarl::fleet
