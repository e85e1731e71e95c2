// SPDX-License-Identifier: MIT
//
// Throughput of a fleet of Atari agents on this machine: bench_atari_fleet [agents] [f32 | fp16]
// Without a precision both are measured.
//  1. Updates per second on the GPU alone, for several kinds and numbers of agents. Every agent
//     requests its next update as soon as it receives the previous one, from a replay of synthetic
//     frames.
//  2. Agent steps per second of the emulators alone, on all cores: random play of the ten games.
//  3. The same with the fleet and the study's mix of agents, and the share of the cores' time spent
//     in environments; the rest is turns, draws, packing and waiting.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "asked_updates.h"

#include "tarl/core/build_config.h"
#include "tarl/core/machine.h"
#include "tarl/envs/atari/atari10.h"
#include "tarl/fleet/benchmark.h"
#include "tarl/fleet/device.h"
#include "tarl/fleet/host_lanes.h"
#include "tarl/fleet/pixel_dqn/agent.h"
#include "tarl/replay/config.h"
#include "tarl/rl/random_action.h"

namespace {

using namespace tarl;  // NOLINT(google-build-using-namespace)

using bench::Clock;
using bench::seconds_since;

constexpr std::uint32_t kRows = 10'000;  // rows of a synthetic replay
constexpr std::int64_t kPlayed = 3'000;  // steps per run when only emulators run
constexpr double kSeconds = 5;

struct Kind {
  const char* name;
  const char* algo;
  std::vector<std::string> set;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"DDQN", "ddqn", {}}, {"TA-DDQN", "ta-ddqn", {}}, {"DDQN (2m)", "ddqn", {"batch_size=64"}}};
  return all;
}

train::RunConfig config_of(const Kind& kind, const std::string& env, const std::string& precision) {
  std::vector<std::string> set = {"buffer_size=" + std::to_string(kRows),
                                  "fleet.precision=" + precision};
  set.insert(set.end(), kind.set.begin(), kind.set.end());
  return train::resolve({.algo = kind.algo, .env = env, .preset = "atari/paper", .set = set});
}

// 1. Updates alone.

class Updates {
 public:
  Updates(const std::vector<const Kind*>& agents, std::string precision)
      : precision_(std::move(precision)), device_(fleet::pixel_dqn::make_device()) {
    spec_.obs = {
        .kind = rl::ObsKind::kBytes, .channels = 4, .height = 84, .width = 84, .frame_stack = 4};
    spec_.action.count = 18;
    fill_replay();
    for (const Kind* kind : agents) add(*kind);
  }

  double per_second() {
    return updates_.per_second(kSeconds, [&] { device_->turn(); });
  }

 private:
  // Images of a few rectangles moving over stripes, which pack to about as many bytes as game
  // frames.
  void fill_replay() {
    replay_.emplace(spec_.obs, spec_.action, kRows, 1, replay::Storage::Options{.packed = true});
    const std::size_t frame = 84 * 84;
    std::vector<std::byte> obs(4 * frame), next(4 * frame);
    Rng rng = seeded(0);
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::copy(obs.begin() + static_cast<std::ptrdiff_t>(frame), obs.end(), next.begin());
      draw(row, rng, next.data() + 3 * frame);
      rl::Transition transition{.lane = 0, .obs = obs, .next_obs = next};
      transition.action.index = static_cast<int>(rng.below(18));
      transition.reward = static_cast<float>(rng.below(3)) - 1;
      replay_->add(transition);
      obs = next;
    }
  }

  static void draw(std::int64_t row, Rng& rng, std::byte* frame) {
    for (int pixel = 0; pixel < 84 * 84; ++pixel) {
      frame[pixel] = static_cast<std::byte>(pixel / 84 / 12 * 30);
    }
    for (int shape = 0; shape < 12; ++shape) {
      const int y = static_cast<int>((row * (shape + 1) + 7 * shape) % 74);
      const int x = static_cast<int>((row * (shape % 3 + 1) + 11 * shape) % 76);
      for (int pixel = 0; pixel < 80; ++pixel) {
        frame[(y + pixel / 8) * 84 + x + pixel % 8] = static_cast<std::byte>(rng.below(256));
      }
    }
  }

  void add(const Kind& kind) {
    configs_.push_back(
        std::make_unique<train::RunConfig>(config_of(kind, "atari/breakout", precision_)));
    const train::RunConfig& config = *configs_.back();
    const Tensors loop = bench::fresh_agent(config, spec_, seeded(configs_.size()));
    updates_.add(std::make_unique<fleet::pixel_dqn::Agent>(
                     *device_, config, spec_, StateReader(loop, "benchmark"), *replay_),
                 static_cast<std::size_t>(config.batch_size + config.oversampling()));
  }

  const std::string precision_;
  rl::EnvSpec spec_;
  std::shared_ptr<fleet::pixel_dqn::Device> device_;
  std::optional<replay::Storage> replay_;
  std::vector<std::unique_ptr<train::RunConfig>> configs_;
  bench::AskedUpdates updates_{kRows - 1};  // except the newest, whose next frame no row holds
};

void print_updates(const std::string& precision) {
  const auto print = [&](const char* name, const std::vector<const Kind*>& agents) {
    std::printf("%-12s %-10s %8zu %16.0f\n", name, precision.c_str(), agents.size(),
                Updates(agents, precision).per_second());
    std::fflush(stdout);
  };
  for (const int agents : {1, 16, 30}) {
    std::vector<const Kind*> mix;
    for (const Kind& kind : kinds()) {
      print(kind.name, std::vector<const Kind*>(static_cast<std::size_t>(agents), &kind));
    }
    for (int i = 0; i < agents; ++i) mix.push_back(&kinds()[static_cast<std::size_t>(i) % 3]);
    if (agents >= 3) print("mix", mix);
  }
}

// 2. and 3. Environments whose time is measured.

std::atomic<std::int64_t> spent_in_environments{0};  // nanoseconds
std::atomic<std::int64_t> steps_in_environments{0};

class Timed final : public rl::Environment {
 public:
  explicit Timed(std::unique_ptr<rl::Environment> env) : env_(std::move(env)) {}

  const rl::EnvSpec& spec() const override { return env_->spec(); }

  void reset(std::span<std::byte> obs) override {
    const Clock::time_point begin = Clock::now();
    env_->reset(obs);
    count(begin);
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    const Clock::time_point begin = Clock::now();
    const rl::StepResult result = env_->step(action, obs);
    count(begin);
    steps_in_environments.fetch_add(1, std::memory_order_relaxed);
    return result;
  }

  void save(StateWriter& out) const override { env_->save(out); }

  void load(const StateReader& in) override { env_->load(in); }

 private:
  static void count(Clock::time_point begin) {
    spent_in_environments.fetch_add((Clock::now() - begin).count(), std::memory_order_relaxed);
  }

  std::unique_ptr<rl::Environment> env_;
};

std::vector<std::string> timed_games() {
  std::vector<std::string> games;
  for (const envs::atari::ReferenceScores& game : envs::atari::atari10()) {
    games.emplace_back(game.env);
    envs::Entry entry = envs::registry().find(game.env);
    entry.make = [make = entry.make](const envs::EnvConfig& config, Rng rng) {
      return std::make_unique<Timed>(make(config, rng));
    };
    envs::registry().add(std::move(entry));
  }
  return games;
}

void choose(train::EnvSlots& slots) {
  for (int slot = 0; slot < slots.size(); ++slot) {
    const train::EnvSlotState state = slots.state(slot);
    state.action = rl::random_action(slots.spec().action, state.explore);
  }
}

double emulation_alone(const std::vector<std::string>& games, int runs) {
  CorePool pool({.cpus = usable_cpus()});
  std::vector<rl::MakeEnvironment> makes;
  for (const std::string& game : games) {
    makes.emplace_back([&game](Rng rng) { return envs::registry().make(game, rng); });
  }
  std::vector<std::unique_ptr<fleet::HostLanes>> all;
  for (int run = 0; run < runs; ++run) {
    const auto at = static_cast<std::size_t>(run) % games.size();
    all.push_back(std::make_unique<fleet::HostLanes>(
        pool, fleet::HostLanes::Request{.name = "run",
                                        .env = games[at],
                                        .make = makes[at],
                                        .root = seeded(static_cast<std::uint64_t>(run))}));
  }
  const auto ignore = [](const train::FinishedEpisode&) {};
  const Clock::time_point begin = Clock::now();
  for (const auto& run : all) {
    choose(run->slots());
    run->send();
  }
  std::int64_t steps = 0;
  while (const auto id = pool.receive()) {
    fleet::HostLanes& run = *all[static_cast<std::size_t>(*id)];
    if (run.in_step() && !run.end_step(ignore)) continue;
    if (++steps >= kPlayed * runs) break;  // slow games must not finish alone
    choose(run.slots());
    run.send();
  }
  return static_cast<double>(steps) / seconds_since(begin);
}

void print_machine(int agents, const std::vector<std::string>& games,
                   const std::string& precision) {
  const auto cores = static_cast<double>(usable_cpus().size());
  std::vector<train::RunConfig> configs;
  for (int i = 0; i < agents; ++i) {
    const auto at = static_cast<std::size_t>(i);
    configs.push_back(
        config_of(kinds()[at / games.size() % 3], games[at % games.size()], precision));
    configs.back().seed = i;
  }
  const double alone = emulation_alone(games, agents);
  std::printf("\n%s: emulation alone, %.0f cores, %d runs: %.0f agent steps/s\n", precision.c_str(),
              cores, agents, alone);
  std::fflush(stdout);
  spent_in_environments = steps_in_environments = 0;
  const fleet::FleetRate rate = fleet::measure_fleet(configs, 4 * kSeconds, {2'000, 1'000});
  const double step_seconds = 1e-9 * static_cast<double>(spent_in_environments) /
                              static_cast<double>(steps_in_environments);
  std::printf(
      "with the fleet: %.0f agent steps/s (%.0f %% of that), %.0f updates/s; a step takes %.0f us, "
      "so the cores are in environments %.1f %% of the time\n",
      rate.agent_steps_per_s, 100 * rate.agent_steps_per_s / alone,
      rate.agent_steps_per_s / static_cast<double>(configs.front().train_freq), 1e6 * step_seconds,
      100 * step_seconds * rate.agent_steps_per_s / cores);
}

}  // namespace

int main(int argc, char** argv) {
  const int agents = argc > 1 ? std::max(1, std::atoi(argv[1])) : 30;
  const fleet::DeviceInfo device = fleet::device_info();
  std::printf("CUDA: %s\n", device.text.c_str());
  if (!device.found) return 1;
  if (!kAleBuilt) {
    std::printf("ALE is not in this build (scripts/deps/ale.sh)\n");
    return 1;
  }
  std::vector<std::string> precisions = {"f32", "fp16"};
  if (argc > 2) precisions = {argv[2]};
  std::printf("%-12s %-10s %8s %16s\n", "kind", "precision", "agents", "updates/s");
  for (const std::string& precision : precisions) print_updates(precision);
  const std::vector<std::string> games = timed_games();
  for (const std::string& precision : precisions) print_machine(agents, games, precision);
  return 0;
}
