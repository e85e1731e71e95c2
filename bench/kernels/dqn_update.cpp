// SPDX-License-Identifier: MIT
//
// One DQN update on MinAtar-sized networks (batch 32, RMSprop, clipping, Huber), with and without
// oversampling, and acting: dqn_update [threads] [avx512|avx2|plain]. One thread is timed by its
// CPU clock, several by wall-clock time; best of many windows, with the peak measured in the same
// run.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include <time.h>

#include "tarl/agents/dqn.h"
#include "tarl/nn/instruction_set.h"

namespace {

using namespace tarl;

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Best time of one call, in microseconds.
template <class Work>
double best_us(int threads, int windows, int calls, Work work) {
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  for (int i = 0; i < 20; ++i) work();
  double best = 1e9;
  for (int window = 0; window < windows; ++window) {
    const double begin = seconds(clock);
    for (int i = 0; i < calls; ++i) work();
    best = std::min(best, (seconds(clock) - begin) / calls);
  }
  return best * 1e6;
}

// 5 to 30 set bits, as in the games.
void random_bits(std::vector<std::byte>& obs, const rl::ObsSpec& spec, int rows, Rng& rng) {
  for (int row = 0; row < rows; ++row) {
    const int count = 5 + static_cast<int>(rng.below(26));
    for (int i = 0; i < count; ++i) {
      const unsigned bit = rng.below(static_cast<unsigned>(spec.size()));
      obs[static_cast<std::size_t>(row) * spec.bytes() + bit / 8] |= std::byte(1U << (bit % 8));
    }
  }
}

void bench_case(int channels, int actions, int batch, int margin, int threads,
                const std::vector<std::int64_t>& hidden) {
  const rl::ObsSpec spec{rl::ObsKind::kBits, channels, 10, 10, 1};
  rl::ActionSpec action;
  action.count = actions;
  const int rows = batch + margin;
  Team team(threads);
  agents::DqnConfig config;
  config.network = agents::NetworkKind::kMinatar;
  config.net_arch = hidden;
  agents::DqnAgent agent(config, spec, action, rows, seeded(1), team);
  Rng rng = seeded(2);
  rl::Batch sample(spec, action, rows);
  sample.rows = rows;
  random_bits(sample.obs, spec, rows, rng);
  random_bits(sample.next_obs, spec, rows, rng);
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
    sample.action_index[i] = static_cast<std::int32_t>(rng.below(static_cast<unsigned>(actions)));
    sample.reward[i] = rng.uniform() < 0.2 ? 1.0F : 0.0F;
    sample.discount[i] = rng.uniform() < 0.05 ? 0.0F : 0.99F;
  }
  std::vector<std::int32_t> kept(static_cast<std::size_t>(batch));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] = static_cast<std::int32_t>(
        margin == 0 ? i : i * static_cast<std::size_t>(rows) / kept.size());
  }
  const std::vector<float> weight(kept.size(), 1.0F);
  const auto assess = [&] { agent.assess(sample, margin > 0, rng); };
  const double update = best_us(threads, threads == 1 ? 300 : 2000, threads == 1 ? 4 : 1, [&] {
    assess();
    agent.update(kept, weight, rng);
  });
  const double scoring = best_us(threads, 200, 4, assess);
  rl::Action chosen;
  const std::span<const std::byte> one(sample.obs.data(), spec.bytes());
  const double acting = best_us(1, 300, 64, [&] {
    agent.act(one, 1, {}, std::span<Rng>(&rng, 1), std::span<rl::Action>(&chosen, 1));
  });
  const double operations = agent.update_flops(rows, batch, margin > 0);
  std::printf(
      "C%-2d %d+%-2d threads %d: update %7.1f us (assess %6.1f)  %6.0f/s  %5.1f MFLOP  "
      "%6.1f GFLOP/s | act %.2f us\n",
      channels, batch, margin, threads, update, scoring, 1e6 / update, operations * 1e-6,
      operations / update * 1e-3, acting);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  nn::use_instruction_set(argc > 2 ? argv[2] : "auto");
  std::printf("%s, peak %.1f GFLOP/s a thread\n", nn::kernels().name, nn::measure_peak_gflops(0.3));
  bench_case(4, 6, 32, 0, threads, {});
  bench_case(4, 6, 32, 32, threads, {});
  bench_case(10, 3, 32, 0, threads, {});
  bench_case(10, 3, 32, 32, threads, {});
  bench_case(4, 6, 32, 0, threads, {512, 64, 64});
}
