// SPDX-License-Identifier: MIT
//
// Tests the f32 kernel against the reference updates updates_dqn/minatar_*: trial updates find the
// slots an agent draws, and the reference's transitions are placed there.
#include <map>
#include <ranges>

#include "fleet/gpu/each_case.h"
#include "fleet/gpu/fleet_helpers.h"

#include "tarl/align/align.h"
#include "tarl/core/error.h"
#include "tarl/replay/row_flags.h"

namespace tarl::fleet {
namespace {

using fixtures::Case;
using fixtures::Checker;

constexpr std::int64_t kStored = 60000;  // enough that the drawn slots lie apart

std::string setting(const std::string& name, double value) {
  std::ostringstream text;
  text.precision(17);
  text << name << '=' << value;
  return text.str();
}

train::RunConfig config_of(const Case& test, const std::string& env) {
  const double m = test.number("m"), b = test.number("b");
  std::vector<std::string> set = {"steps=200000",
                                  "buffer_size=100000",
                                  "target_update_interval=100000000",
                                  "align.log=true",
                                  "loss=" + test.meta("loss"),
                                  setting("batch_size", m),
                                  setting("gamma", test.number("gamma")),
                                  setting("learning_rate", test.number("lr")),
                                  setting("max_grad_norm", test.number("max_grad_norm"))};
  if (b > 0) set.push_back(setting("align.margin", b / m));
  if (test.number("is") != 0) {
    set.insert(set.end(), {"replay.kind=per", "replay.draw=stratified", "replay.beta=1"});
  }
  if (test.meta("opt") == "adam") {
    set.insert(set.end(), {"optimizer=adam", setting("adam.beta1", test.hyper("beta1")),
                           setting("adam.beta2", test.hyper("beta2")),
                           setting("adam.eps", test.hyper("eps"))});
  } else {
    const bool centered = test.hyper("centered") != 0;
    set.insert(set.end(), {"optimizer=rmsprop", setting("rmsprop.alpha", test.hyper("alpha")),
                           setting("rmsprop.eps", test.hyper("eps")),
                           std::string("rmsprop.centered=") + (centered ? "true" : "false")});
  }
  return test::short_run((b > 0 ? "ta-" : "") + test.meta("alg"), env, set);
}

// The reference's settings, on a game with the same numbers of channels and actions.
train::RunConfig config_of(const Case& test) {
  for (const char* game : {"asterix", "breakout", "freeway", "space_invaders", "seaquest"}) {
    for (const char* actions : {"", "-v0"}) {
      const train::RunConfig config = config_of(test, std::string("minatar/") + game + actions);
      if (const std::string why = why_not_minatar_dqn(config); !why.empty())
        throw test::BeyondFleet(why);
      const NetPlan net = make_spec(config).net;
      if (net.channels == test.tensor("step0.obs").shape.at(1) && net.actions == test.number("A")) {
        return config;
      }
    }
  }
  throw test::BeyondFleet("no game has as many channels and actions");
}

// The parameters `prefix` of the reference, located by `from`.
template <class From>
std::vector<float> flat(const AgentSpec& spec, const std::string& prefix, From from) {
  const nn::ParameterLayout layout = layout_of(spec.net);
  std::vector<float> values(layout.size());
  Tensors tensors;
  nn::export_tensors(layout, values.data(), prefix, tensors);
  for (auto& [name, tensor] : tensors) tensor = from(name);
  nn::import_tensors(layout, StateReader(tensors, "the reference"), prefix, values.data());
  return values;
}

// An agent with the reference's parameters and a buffer of empty boards.
AgentImage start_of(const Case& test, const AgentSpec& spec, const train::RunConfig& config) {
  AgentImage image = test::new_device_agent(config)->download();
  const auto param = [&](const std::string& name) { return test.param(name); };
  image.values = flat(spec, "init.q.", param);
  image.target = flat(spec, "init.target.", param);
  if (test.number("warm") != 0) {
    const std::vector<std::string> moments = optimizer_of(spec.optimizer).state_names();
    for (std::size_t i = 0; i < moments.size(); ++i) {
      image.moment[i] = flat(spec, "opt_init." + moments[i] + ".q.",
                             [&](const std::string& name) { return test.tensor(name); });
    }
    image.state.optimizer_steps = static_cast<std::int64_t>(test.number("opt_step0"));
  }
  image.state.step = image.state.stored = kStored;
  image.storage.set_count(kStored);
  return image;
}

struct Learnt {
  LastUpdate update;
  AgentImage image;
};

Learnt one_update(const AgentSpec& spec, const AgentImage& image, const train::RunConfig& config) {
  const auto agent =
      make_device_agent(spec, image, {.eval_keys = evaluation_keys(config), .record = true});
  test::advance(*agent, image.state.step + 1);
  return {agent->last_update(), agent->download()};
}

// Makes all transitions equally likely.
void level_weights(const AgentSpec& spec, AgentImage& image) {
  if (spec.replay == ReplayKind::kUniform) return;
  image.per.priority.assign(kStored, 1);
  image.per.weight.assign(kStored, 1);
  image.state.max_priority = image.state.new_weight = 1;
}

// Chooses weights such that each row gets its importance weight, which for beta = 1 is inversely
// proportional to the drawn weight. Each row is drawn from its share of the total mass. `level`,
// the slots drawn when all weights are equal, determines the order of the shares; each share is
// filled with equal weights.
class Shares {
 public:
  Shares(const std::vector<double>& importance, const std::vector<std::int64_t>& level)
      : row_(level.size()), first_(level.size() + 1), importance_(importance) {
    const auto rows = static_cast<std::int64_t>(level.size());
    double total = 0;
    for (const double one : importance) total += one;
    for (std::size_t row = 0; row < level.size(); ++row) {
      row_.at(static_cast<std::size_t>(level[row] * rows / (kStored + 1))) = row;
    }
    double before = 0;
    for (std::size_t share = 0; share < row_.size(); ++share) {
      before += importance[row_[share]] / total;
      first_[share + 1] = std::llround(before * kStored);
    }
  }

  void put(AgentImage& image) const {
    for (std::size_t share = 0; share < row_.size(); ++share) {
      std::fill(image.per.weight.begin() + first_[share],
                image.per.weight.begin() + first_[share + 1], 1 / importance_[row_[share]]);
    }
  }

  // Whether every row was drawn from its share.
  bool fit(const std::vector<std::int64_t>& slots) const {
    for (std::size_t share = 0; share < row_.size(); ++share) {
      const std::int64_t slot = slots[row_[share]];
      if (slot < first_[share] || slot >= first_[share + 1]) return false;
    }
    return true;
  }

 private:
  std::vector<std::size_t> row_;     // [share]
  std::vector<std::int64_t> first_;  // [share] first slot; the last entry is the end
  std::vector<double> importance_;   // [row]
};

// No slot occurs twice or next to another one, and every next board is stored.
bool lie_apart(std::vector<std::int64_t> slots) {
  std::sort(slots.begin(), slots.end());
  for (std::size_t i = 1; i < slots.size(); ++i) {
    if (slots[i] - slots[i - 1] < 2) return false;
  }
  return slots.back() + 1 < kStored;
}

// The slots that the next update draws: lying apart, with the reference's importance weights.
std::vector<std::int64_t> settle_draws(const Case& test, const std::string& step,
                                       const AgentSpec& spec, const train::RunConfig& config,
                                       AgentImage& image) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    image.state.sample = seeded(seed);
    level_weights(spec, image);
    std::vector<std::int64_t> slots = one_update(spec, image, config).update.index;
    bool fits = true;
    if (spec.replay != ReplayKind::kUniform) {
      const Shares shares(test.values(step + "is_weight"), slots);
      shares.put(image);
      slots = one_update(spec, image, config).update.index;
      fits = shares.fit(slots);
    }
    if (fits && lie_apart(slots)) return slots;
  }
  throw Error("no seed draws slots that lie apart");
}

void put_rows(const Case& test, const std::string& step, const AgentSpec& spec,
              const std::vector<std::int64_t>& slots, AgentImage& image) {
  const std::vector<float> reward = test.floats(step + "reward");
  const std::vector<float> terminated = test.floats(step + "terminated");
  const std::vector<std::int64_t> action = test.integers(step + "action");
  const auto bytes = static_cast<std::size_t>(spec.obs_bytes);
  const std::vector<std::byte> boards = fixtures::packed_bits(test.tensor(step + "obs"), bytes);
  const std::vector<std::byte> next = fixtures::packed_bits(test.tensor(step + "next_obs"), bytes);
  const replay::StorageRows to = image.storage.rows();
  for (std::size_t row = 0; row < slots.size(); ++row) {
    const auto slot = static_cast<std::size_t>(slots[row]);
    std::copy_n(boards.data() + row * bytes, bytes, to.frames.data() + slot * bytes);
    std::copy_n(next.data() + row * bytes, bytes, to.frames.data() + (slot + 1) * bytes);
    to.action_index[slot] = static_cast<std::int32_t>(action.at(row));
    to.reward[slot] = reward.at(row);
    to.flags[slot] = terminated.at(row) != 0 ? replay::kTerminated : 0;
  }
}

std::vector<double> doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

void check_update(const Case& test, const std::string& step, const LastUpdate& got,
                  Checker& check) {
  const std::vector<double> q = doubles(got.q);
  const std::vector<double> online = doubles(got.y_online), offline = doubles(got.y_offline);
  check.close(step + "q_sa", q, test.values(step + "q_sa"), 1e-5, 1e-5);
  check.close(step + "target_online", online, test.values(step + "target_online"), 1e-5, 1e-5);
  check.close(step + "target_offline", offline, test.values(step + "target_offline"), 1e-5, 1e-5);
  std::vector<double> score;
  for (std::size_t i = 0; i < q.size(); ++i) {
    score.push_back(align::alignment_score(online[i] - q[i], offline[i] - q[i]));
  }
  check.close(step + "alignment", score, test.values(step + "alignment"), 1e-4, 0);
  std::map<std::int64_t, double> weight;  // of the kept rows
  const std::vector<std::int64_t> kept = test.integers(step + "kept");
  const std::vector<double> weights = test.values(step + "weight");
  for (std::size_t i = 0; i < kept.size(); ++i) weight[kept[i]] = weights.at(i);
  const auto rows = std::views::keys(weight);
  const auto expected = std::views::values(weight);
  check.equal(step + "kept", std::vector<std::int64_t>(got.kept.begin(), got.kept.end()),
              std::vector<std::int64_t>(rows.begin(), rows.end()));
  check.close(step + "weight", doubles(got.kept_weight),
              std::vector<double>(expected.begin(), expected.end()), 0, 1e-5);
}

void check_parameters(const Case& test, const std::string& prefix, const AgentSpec& spec,
                      const std::vector<float>& values, double abs, double rel, Checker& check) {
  Tensors tensors;
  nn::export_tensors(layout_of(spec.net), values.data(), prefix, tensors);
  for (const auto& [name, tensor] : tensors) {
    check.close_tensor(test, name, tensor.as<float>(), abs, rel);
  }
}

void run_case(const Case& test, const train::RunConfig& config, Checker& check) {
  const AgentSpec spec = make_spec(config);
  require(spec.candidates == static_cast<int>(test.number("m") + test.number("b")),
          "a margin that is not rounded to the reference's");
  AgentImage image = start_of(test, spec, config);
  for (int k = 0; k < static_cast<int>(test.number("steps")); ++k) {
    const std::string step = "step" + std::to_string(k) + ".";
    put_rows(test, step, spec, settle_draws(test, step, spec, config, image), image);
    Learnt learnt = one_update(spec, image, config);
    const auto gained = [&](Metric metric) {
      const int at = rl::index_of(metric);
      return std::vector<double>{learnt.image.state.sum[at] - image.state.sum[at]};
    };
    check_update(test, step, learnt.update, check);
    check.close(step + "loss", gained(Metric::kLoss), test.values(step + "loss"), 1e-5, 1e-4);
    check.close(step + "grad_norm", gained(Metric::kGradNorm), test.values(step + "grad_norm"), 0,
                1e-4);
    check_parameters(test, step + "param.q.", spec, learnt.image.values, 2e-5, 0, check);
    image = std::move(learnt.image);
  }
  const std::vector<std::string> moments = optimizer_of(spec.optimizer).state_names();
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const bool squares = moments[i] == "square_avg" || moments[i] == "exp_avg_sq";
    check_parameters(test, "final.opt." + moments[i] + ".q.", spec, image.moment[i], 0,
                     squares ? 2e-4 : 1e-4, check);
  }
}

TEST(FleetFixtures, UpdatesAreTheReferences) {
  test::for_each_case(
      "updates_dqn", [](const Case& test) { return test.meta("net") == "minatar"; },
      [](const Case& test, Checker& check) { run_case(test, config_of(test), check); });
}

}  // namespace
}  // namespace tarl::fleet
