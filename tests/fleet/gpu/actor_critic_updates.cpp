// SPDX-License-Identifier: MIT
//
// Updates of SAC, TD3 and DDPG in f32 and fp16 beside float64, whose operands are rounded where
// those of fp16 are.
#include <cmath>
#include <numeric>

#include "fleet/actor_critic_cases.h"
#include "fleet/gpu/actor_critic_reference.h"
#include "fleet/gpu/distance.h"

#include "tarl/fleet/actor_critic/specify.h"

namespace tarl::fleet {
namespace {

using actor_critic::NetsImage;
using actor_critic::NetsPlan;
using test::actor_critic_run;

constexpr const char* kAlgorithms[] = {"sac", "ta-sac", "td3", "ta-td3", "ddpg", "ta-ddpg"};
constexpr float kAlpha = 0.2F;
constexpr float kBeta1 = 0.9F;

struct Shape {
  int obs = 11, actions = 3;
  const char* net_arch = "[70,40]";
  float reward = 1;  // of that size
};

// Updates of an agent whose replay holds noise, from weights that are noise, too.
class NoiseUpdate {
 public:
  NoiseUpdate(const std::string& algo, const std::string& precision, const Shape& shape,
              std::vector<std::string> more = {})
      : plan_(plan_of(algo, precision, shape, std::move(more))) {
    input_.alpha = kAlpha;
    input_.rate = nn::OptimizerConfig{}.learning_rate;
    fill(plan_.actor, input_.numbers.actor);
    fill(plan_.critics, input_.numbers.critics);
    const auto row_floats = static_cast<std::size_t>(plan_.row_floats());
    for (int row = 0; row < plan_.candidates; ++row) {
      std::vector<float> values(row_floats);
      for (float& value : values) value = noise();
      values[row_floats - 2] *= shape.reward;
      values[row_floats - 1] = row % 7 == 3 ? 0.0F : 0.99F;
      input_.rows.push_back(std::move(values));
    }
    for (std::vector<float>* to : {&input_.next_noise, &input_.policy_noise}) {
      to->resize(static_cast<std::size_t>(plan_.candidates * plan_.actions));
      for (float& value : *to) value = static_cast<float>(rng_.normal());
    }
    networks_ = device_->make(plan_);
    networks_->upload(input_.numbers);
  }

  const actor_critic::AgentPlan& plan() const { return plan_; }

  test::ReferenceInput& input() { return input_; }

  actor_critic::DeviceNetworks& networks() { return *networks_; }

  const actor_critic::UpdateOutput& update() {
    for (std::size_t row = 0; row < input_.rows.size(); ++row) {
      networks_->store(static_cast<std::int64_t>(row), input_.rows[row]);
    }
    std::vector<std::int64_t> slots(input_.rows.size());
    std::iota(slots.begin(), slots.end(), 0);
    networks_->use_noise(input_.next_noise, plan_.sac ? input_.policy_noise : std::vector<float>{});
    actor_critic::UpdateInput input;
    input.slots = slots;
    input.alpha = kAlpha;
    input.log_alpha = std::log(kAlpha);
    input.critics = input.actor = optimizer_.next_sizes();
    input.moves_targets = true;
    networks_->update(input);
    while (!networks_->updated()) device_->turn();
    optimizer_.count_step();
    return networks_->output();
  }

  actor_critic::Networks numbers() const {
    actor_critic::Networks numbers;
    networks_->download(numbers);
    return numbers;
  }

 private:
  static actor_critic::AgentPlan plan_of(const std::string& algo, const std::string& precision,
                                         const Shape& shape, std::vector<std::string> more) {
    rl::EnvSpec spec;
    spec.obs.width = shape.obs;
    spec.action.size = shape.actions;
    more.insert(more.begin(), {"batch_size=32", "buffer_size=200", "fleet.precision=" + precision,
                               std::string("policy.net_arch=") + shape.net_arch});
    return actor_critic::make_plan(actor_critic_run(algo, "classic/pendulum", 1, std::move(more)),
                                   spec);
  }

  float noise() { return static_cast<float>(2 * rng_.uniform() - 1); }

  void fill(const NetsPlan& plan, NetsImage& to) {
    for (std::vector<float>* array : {&to.values, &to.first, &to.second}) {
      array->resize(plan.layout.size());
    }
    for (const nn::Mlp& net : plan.nets) {
      for (const nn::Linear& layer : net.layers()) {
        const float bound = 1.0F / std::sqrt(static_cast<float>(layer.in));
        for (int j = 0; j < layer.out; ++j) {
          to.values[layer.bias + static_cast<std::size_t>(j)] = bound * noise();
          for (int k = 0; k < layer.in; ++k) {
            to.values[test::weight_at(layer, k, j)] = bound * noise();
          }
        }
      }
    }
    if (!plan.has_target) return;
    to.target = to.values;
    for (float& value : to.target) value *= 0.9F;
  }

  const actor_critic::AgentPlan plan_;
  Rng rng_ = seeded(3);
  test::ReferenceInput input_;
  nn::Optimizer optimizer_{nn::OptimizerConfig{}};
  std::shared_ptr<actor_critic::Device> device_ = actor_critic::make_device();
  std::unique_ptr<actor_critic::DeviceNetworks> networks_;
};

template <class Numbers>
std::vector<float> floats_of(const Numbers& numbers, double factor = 1) {
  std::vector<float> floats;
  for (const auto number : numbers) {
    floats.push_back(static_cast<float>(factor * static_cast<double>(number)));
  }
  return floats;
}

using test::distance;

// The largest of all tensors of a group.
double distance(const nn::ParameterLayout& layout, const std::vector<float>& ours,
                const std::vector<float>& theirs) {
  Tensors mine, reference;
  nn::export_tensors(layout, ours.data(), "", mine);
  nn::export_tensors(layout, theirs.data(), "", reference);
  double largest = 0;
  for (const auto& [name, tensor] : reference) {
    largest = std::max(largest, distance(mine.at(name).as<float>(), tensor.as<float>()));
  }
  return largest;
}

// How far an update is from a reference, relative to its size: the worst tensor of each kind.
struct Apart {
  double grads = 0, steps = 0, targets = 0, losses = 0;
};

void join(const NetsPlan& plan, const NetsImage& start, const NetsImage& ours,
          const test::ReferenceGroup& theirs, Apart& apart) {
  const auto grads = floats_of(ours.first, 1 / (1 - double{kBeta1}));
  apart.grads = std::max(apart.grads, distance(plan.layout, grads, floats_of(theirs.grads)));
  std::vector<float> step, reference_step;
  for (std::size_t i = 0; i < start.values.size(); ++i) {
    step.push_back(ours.values[i] - start.values[i]);
    reference_step.push_back(static_cast<float>(theirs.values[i] - double{start.values[i]}));
  }
  apart.steps = std::max(apart.steps, distance(plan.layout, step, reference_step));
  if (!plan.has_target) return;
  apart.targets =
      std::max(apart.targets, distance(plan.layout, ours.target, floats_of(theirs.target)));
}

Apart apart_from(NoiseUpdate& update, const test::ReferenceUpdate& reference) {
  const actor_critic::Networks& start = update.input().numbers;
  const actor_critic::Networks numbers = update.numbers();
  Apart apart;
  join(update.plan().critics, start.critics, numbers.critics, reference.critics, apart);
  join(update.plan().actor, start.actor, numbers.actor, reference.actor, apart);
  const actor_critic::UpdateOutput& out = update.networks().output();
  const auto add = [&](double ours, double theirs) {
    apart.losses = std::max(apart.losses, std::abs(ours - theirs) / (std::abs(theirs) + 1e-3));
  };
  add(out.critic_loss, reference.critic_loss);
  add(out.actor_loss, reference.actor_loss);
  if (update.plan().sac) add(out.entropy_gap, reference.entropy_gap);
  return apart;
}

void expect_within(const Apart& apart, const Apart& bound, const std::string& what) {
  EXPECT_LT(apart.grads, bound.grads) << what;
  EXPECT_LT(apart.steps, bound.steps) << what;
  EXPECT_LT(apart.targets, bound.targets) << what;
  EXPECT_LT(apart.losses, bound.losses) << what;
}

// In f32 beside float64, and in fp16 beside float64 that rounds where fp16 does, which is nearer
// than float64 that does not round.
void expect_the_equations(const std::string& algo, const Shape& shape,
                          const std::vector<std::string>& more = {}) {
  const std::string what = algo + ", " + std::to_string(shape.obs) + " numbers, rewards of " +
                           std::to_string(shape.reward);
  NoiseUpdate exact(algo, "f32", shape, more), rounded(algo, "fp16", shape, more);
  const auto reference = test::reference_update(exact.plan(), exact.input(), false);
  const auto halves = test::reference_update(exact.plan(), exact.input(), true);
  exact.update();
  rounded.update();
  EXPECT_EQ(exact.networks().kept(), reference.kept) << what;
  EXPECT_EQ(rounded.networks().kept(), halves.kept) << what;
  expect_within(apart_from(exact, reference), {1e-5, 1e-2, 1e-6, 1e-5}, what + ", f32");
  const Apart near = apart_from(rounded, halves), far = apart_from(rounded, reference);
  expect_within(near, {1e-3, 1e-2, 1e-6, 1e-4}, what + ", fp16");
  EXPECT_GT(far.grads, 3 * near.grads) << what << ": rounded elsewhere";
}

TEST(FleetActorCriticUpdates, AreThoseOfTheEquationsInF32AndFp16) {
  for (const char* algo : kAlgorithms) expect_the_equations(algo, {});
  expect_the_equations("ta-td3", {}, {"td3.alignment_target=independent", "align.margin=2"});
}

// Whatever the size of the slopes: they are scaled before they are rounded.
TEST(FleetActorCriticUpdates, AreThoseOfTheEquationsForOtherShapesAndSizes) {
  for (const char* algo : {"ta-sac", "ta-td3"}) {
    for (const float reward : {3e4F, 3e-5F}) expect_the_equations(algo, {.reward = reward});
    expect_the_equations(algo, {.obs = 376, .actions = 17, .net_arch = "[64,96]"});
    expect_the_equations(algo, {.obs = 8, .actions = 2, .net_arch = "[5,130]"});
  }
}

TEST(FleetActorCriticUpdates, Fp16StaysBesideF32) {
  for (const char* algo : kAlgorithms) {
    NoiseUpdate exact(algo, "f32", {}), rounded(algo, "fp16", {});
    for (int i = 0; i < 10; ++i) {
      exact.update();
      rounded.update();
    }
    const actor_critic::Networks ours = rounded.numbers(), theirs = exact.numbers();
    for (const auto& [mine, f32] :
         {std::pair{&ours.actor, &theirs.actor}, std::pair{&ours.critics, &theirs.critics}}) {
      const double apart = distance(mine->values, f32->values);
      EXPECT_LT(apart, 5e-3) << algo;
      EXPECT_GT(apart, 1e-7) << algo << " is not rounded";
    }
  }
}

// Of a gradient's squares, as the CPU finds them, and of what fp16 cannot hold.
TEST(FleetActorCriticUpdates, FindsWhatIsNotFinite) {
  for (const char* precision : {"f32", "fp16"}) {
    NoiseUpdate huge("ta-sac", precision, {.reward = 1e22F});
    EXPECT_EQ(huge.update().choice.bad_errors, 0) << precision;
    EXPECT_EQ(huge.networks().output().bad_critics, 1) << precision;
    NoiseUpdate large("ta-sac", precision, {});
    large.input().rows[5][0] = 1e5F;
    EXPECT_EQ(large.update().choice.bad_errors, std::string(precision) == "fp16" ? 1 : 0);
  }
}

}  // namespace
}  // namespace tarl::fleet
