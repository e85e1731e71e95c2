// SPDX-License-Identifier: MIT
#include "tarl/train/roofline.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <utility>

#include "tarl/nn/instruction_set.h"
#include "tarl/nn/kernel_times.h"
#include "tarl/train/benchmark.h"
#include "tarl/train/loop.h"

namespace tarl::train {

namespace {

using RooflineClock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const RooflineClock::time_point start = RooflineClock::now();
  work();
  return std::chrono::duration<double>(RooflineClock::now() - start).count();
}

// A replay that notes how long a learner draws from it and tells it priorities.
class TimedReplay final : public rl::Replay {
 public:
  explicit TimedReplay(rl::Replay& replay) : replay_(replay) {}

  double seconds = 0;

  std::int64_t size() const override { return replay_.size(); }

  std::int64_t capacity() const override { return replay_.capacity(); }

  std::size_t memory_bytes() const override { return replay_.memory_bytes(); }

  void add(const rl::Transition& transition) override { replay_.add(transition); }

  void truncate(int lane) override { replay_.truncate(lane); }

  void sample(int rows, double progress, Rng& rng, rl::Sample& out) override {
    seconds += seconds_of([&] { replay_.sample(rows, progress, rng, out); });
  }

  void update_priorities(const rl::Sample& sample, std::span<const float> abs_error) override {
    seconds += seconds_of([&] { replay_.update_priorities(sample, abs_error); });
  }

  void on_target_sync() override { replay_.on_target_sync(); }

  void save(StateWriter& out) const override { replay_.save(out); }

  void load(const StateReader& in) override { replay_.load(in); }

  rl::SegmentRange sealed() const override { return replay_.sealed(); }

  void save_segment(std::int64_t segment, StateWriter& out) const override {
    replay_.save_segment(segment, out);
  }

  void load_segment(const StateReader& in) override { replay_.load_segment(in); }

 private:
  rl::Replay& replay_;
};

constexpr double kPieceSeconds = 0.005;  // a window short enough to fall between two disturbances
constexpr std::array kWorkNames = {"products", "optimiser", "passes"};
static_assert(kWorkNames.size() == nn::kWorks);

RooflinePart part_of(nn::Work work, const nn::WorkDone& done, double updates) {
  return {.name = kWorkNames[static_cast<std::size_t>(work)],
          .seconds = done.seconds / updates,
          .operations = done.operations / updates,
          .bytes = done.bytes / updates,
          .optimiser = work == nn::Work::kOptimiser};
}

// Draws, observations of both ends read and written.
double replay_bytes(const rl::Batch& batch) {
  return 4.0 * batch.rows * static_cast<double>(batch.obs_bytes);
}

// The parts of one update, from one window.
std::vector<RooflinePart> take_window(Learner& learner, TimedReplay& replay, nn::KernelTimes& times,
                                      double& update_seconds) {
  Means means;
  times.clear();
  replay.seconds = 0;
  double elapsed = 0, updates = 0;
  for (; elapsed < kPieceSeconds; ++updates) {
    elapsed += seconds_of([&] { learner.step(0.5, means); });
  }
  std::vector<RooflinePart> parts;
  double rest = elapsed - times.overhead() - replay.seconds;
  for (int i = 0; i < nn::kWorks; ++i) {
    const auto work = static_cast<nn::Work>(i);
    parts.push_back(part_of(work, times.done(work), updates));
    rest -= times.done(work).seconds;
  }
  parts.push_back({.name = "replay",
                   .seconds = replay.seconds / updates,
                   .bytes = replay_bytes(learner.last_sample().batch)});
  parts.push_back({.name = "rest", .seconds = std::max(0.0, rest) / updates});
  update_seconds = (elapsed - times.overhead()) / updates;
  return parts;
}

// Choosing the actions of the steps that go with one update.
RooflinePart take_acting(const RunConfig& config, rl::Agent& agent, const rl::Batch& batch,
                         nn::KernelTimes& times, double seconds) {
  const int slots = static_cast<int>(std::min<std::int64_t>(config.n_envs, batch.rows));
  const auto count = static_cast<std::size_t>(slots);
  std::vector<Rng> streams(count, seeded(0));
  std::vector<rl::Action> actions(count);
  const std::span obs(batch.obs.data(), count * batch.obs_bytes);
  const auto act = [&] { agent.act(obs, slots, {}, streams, actions); };
  act();
  times.clear();
  act();
  const nn::WorkDone products = times.done(nn::Work::kProducts);
  double best = 1;
  for (double spent = 0; spent < seconds;) {
    times.clear();
    const double window = seconds_of(act);
    best = std::min(best, window - times.overhead());
    spent += window;
  }
  const double acts =
      static_cast<double>(config.train_freq) / static_cast<double>(slots * config.gradient_steps);
  return {.name = "acting",
          .seconds = acts * best,
          .operations = acts * products.operations,
          .bytes = acts * products.bytes};
}

// Bytes a second of passes over arrays of so many floats each, the best of some.
double pass_rate(std::size_t floats, int arrays, double bytes,
                 const std::function<void(const std::vector<std::vector<float>>&)>& pass) {
  const std::vector<std::vector<float>> data(static_cast<std::size_t>(arrays),
                                             std::vector<float>(floats, 1.0F));
  double best = 0;
  for (int i = 0; i < 50; ++i) {
    const double seconds = seconds_of([&] { pass(data); });
    if (seconds > 0) best = std::max(best, bytes * static_cast<double>(floats) / seconds);
  }
  return best;
}

constexpr double kSecondCacheBytes = 256 * 1024;  // half of the smallest: beyond any first cache

double memory_rate(double bytes) {
  const auto floats =
      static_cast<std::size_t>(std::clamp(bytes / (2 * sizeof(float)), 4096.0, 16.0 * 1024 * 1024));
  const std::size_t whole = floats / nn::kLanes * nn::kLanes;
  return pass_rate(whole, 2, 3 * sizeof(float), [&](const auto& data) {
    nn::kernels().polyak(const_cast<float*>(data[0].data()), data[1].data(), whole, 0.5F);
  });
}

// Many times over what the first cache holds.
double division_rate() {
  constexpr std::size_t kFloats = 1024;
  constexpr int kTimes = 64;
  return pass_rate(kFloats, 4, std::size_t{kTimes} * 7 * sizeof(float), [&](const auto& data) {
    nn::AdamStep step;
    step.value = const_cast<float*>(data[0].data());
    step.grad = data[1].data();
    step.exp_avg = const_cast<float*>(data[2].data());
    step.exp_avg_sq = const_cast<float*>(data[3].data());
    step.beta1 = step.beta2 = step.one_minus_beta1 = step.one_minus_beta2 = 0.5F;
    step.eps = 1;
    for (int i = 0; i < kTimes; ++i) nn::kernels().adam(step, 0, kFloats);
  });
}

}  // namespace

Bound bound_of(const RooflinePart& part, const Ceilings& ceilings) {
  const Bound moves = part.optimiser ? Bound::kMemory : Bound::kCaches;
  const std::array<std::pair<double, Bound>, 3> least{{
      {part.operations / ceilings.multiply_adds, Bound::kMultiplyAdds},
      {part.bytes / (part.optimiser ? ceilings.memory : ceilings.caches), moves},
      {part.optimiser ? part.bytes / ceilings.divisions : 0, Bound::kDivisions},
  }};
  const auto most = std::max_element(least.begin(), least.end());
  return 2 * most->first < part.seconds || most->first == 0 ? Bound::kOverhead : most->second;
}

Roofline measure_roofline(RunConfig config, double seconds, const fs::path& scratch) {
  config = endless(std::move(config), kBenchmarkWarmUp);
  Team team(1);
  store::RunLogs logs(scratch, {.env_id = config.env, .tensorboard = false, .csv = false});
  Loop loop(config, team, logs);
  loop.run({.stop = [&] { return loop.step() >= kBenchmarkWarmUp + 64; },
            .progress = {},
            .checkpoint = {}});
  Roofline out;
  out.name = config.algo + " " + config.env;
  TimedReplay replay(loop.replay());
  Learner learner(config, loop.agent(), replay, loop.spec(), seeded(0));
  {
    nn::KernelTimes times;
    for (double spent = 0; spent < seconds;) {
      double update = 0;
      std::vector<RooflinePart> parts;
      spent += seconds_of([&] { parts = take_window(learner, replay, times, update); });
      if (out.parts.empty() || update < out.update_seconds) {
        out.update_seconds = update;
        out.parts = std::move(parts);
      }
    }
    out.parts.push_back(
        take_acting(config, loop.agent(), learner.last_sample().batch, times, 0.1 * seconds));
  }
  out.ceilings = {.multiply_adds = 1e9 * nn::measure_peak_gflops(0.1),
                  .caches = memory_rate(kSecondCacheBytes),
                  .memory = memory_rate(out.parts[1].bytes),
                  .divisions = division_rate()};
  for (RooflinePart& part : out.parts) part.bound = bound_of(part, out.ceilings);
  return out;
}

}  // namespace tarl::train
