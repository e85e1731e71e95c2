// SPDX-License-Identifier: MIT
//
// Training inside your own program: a stop function instead of signal handlers; then the trained
// agent plays.
#include <cstdio>

#include <tarl/envs/registry.h>
#include <tarl/train/policy.h>
#include <tarl/train/run.h>

namespace {

// The number of steps that the agent stays upright in one episode.
int play(tarl::train::Policy& policy, std::uint64_t seed) {
  const auto env = tarl::envs::registry().make(policy.config().env, tarl::seeded(seed));
  std::vector<std::byte> obs(policy.spec().obs.bytes());
  env->reset(obs);
  for (int steps = 1;; ++steps) {
    if (env->step(policy.act(obs), obs).done()) return steps;
  }
}

}  // namespace

int main(int argc, char** argv) {
  tarl::train::RunRequest request;
  request.config = tarl::train::resolve(
      {.algo = "ta-dqn",
       .env = "classic/cartpole",
       .steps = "6000",
       .set = {"learning_starts=200", "train_freq=1", "learning_rate=1e-3", "optimizer=adam",
               "target_update_interval=100", "eval.count=6", "exploration_fraction=0.5"}});
  request.folder = argc > 1 ? argv[1] : "runs/embedded";

  // The first call stops halfway and leaves a checkpoint; the second continues from there.
  std::int64_t step = 0;
  request.progress = [&](const tarl::train::Progress& progress) { step = progress.step; };
  request.stop = [&] { return step >= 3000; };
  const auto half = tarl::train::run_training(request);
  std::printf("stopped at step %lld\n", static_cast<long long>(half.step));

  request.resume = true;
  request.stop = nullptr;
  const auto whole = tarl::train::run_training(request);

  tarl::train::Policy policy(request.folder);
  const int steps = play(policy, 1);
  std::printf("finished at step %lld; the pole stays up for %d steps\n",
              static_cast<long long>(whole.step), steps);
  const bool stopped = half.end == tarl::train::RunEnd::kStopped && half.step < 6000;
  return stopped && whole.end == tarl::train::RunEnd::kFinished && steps > 50 ? 0 : 1;
}
