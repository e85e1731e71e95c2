// SPDX-License-Identifier: MIT
//
// The cost of checkpoints of a large replay: bench_checkpoint [folder] [algo] [rows] [every]
// Fills a replay of Atari's shape with noise in a real run that never learns, so that almost
// nothing else takes time, and reports how long the environment had to wait: at checkpoints, and
// whenever a full segment of the replay was written. Needs about 10 GB of memory and of disk space,
// and removes its files.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "tarl/envs/registry.h"
#include "tarl/train/run.h"

namespace {

using namespace tarl;
using Clock = std::chrono::steady_clock;

constexpr double kWorthTelling = 2e-3;  // seconds

struct Wait {
  std::int64_t after_step = 0;
  double seconds = 0;
};

struct Waits {
  std::int64_t steps = 0;
  Clock::time_point returned = Clock::now();
  std::vector<Wait> long_ones;

  void enter() {
    const std::chrono::duration<double> waited = Clock::now() - returned;
    if (waited.count() > kWorthTelling) long_ones.push_back({steps, waited.count()});
    ++steps;
  }

  void leave() { returned = Clock::now(); }
};

// Frames from precomputed noise, which neither compression nor sharing can shrink.
class Noise final : public rl::Environment {
 public:
  Noise(Rng rng, Waits& waits) : rng_(rng), waits_(waits), noise_(1 << 22) {
    spec_.name = "bench/noise";
    spec_.obs = {rl::ObsKind::kBytes, 4, 84, 84, 4};
    stack_.resize(spec_.obs.bytes());
    spec_.action.count = 4;
    for (std::byte& byte : noise_) byte = static_cast<std::byte>(rng_.below(256));
  }

  const rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override {
    std::ranges::fill(stack_, std::byte{0});
    push(obs);
  }

  rl::StepResult step(const rl::Action&, std::span<std::byte> obs) override {
    waits_.enter();
    rl::StepResult result;
    result.terminated = result.score_episode_over = rng_.below(500) == 0;
    push(obs);
    waits_.leave();
    return result;
  }

  void save(StateWriter& out) const override {
    out.put("rng", rng_);
    out.put("stack", stack_);
  }

  void load(const StateReader& in) override {
    in.get("rng", rng_);
    in.get("stack", stack_);
  }

 private:
  void push(std::span<std::byte> obs) {
    const std::size_t frame = stack_.size() / 4;
    std::memmove(stack_.data(), stack_.data() + frame, 3 * frame);
    std::memcpy(stack_.data() + 3 * frame,
                noise_.data() + rng_.below(static_cast<std::uint32_t>(noise_.size() - frame)),
                frame);
    std::ranges::copy(stack_, obs.begin());
  }

  rl::EnvSpec spec_;
  Rng rng_;
  Waits& waits_;
  std::vector<std::byte> noise_;
  std::vector<std::byte> stack_;
};

double status_gigabytes(const std::string& field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size() + 1)) * 1024 / 1e9;
  }
  return 0;
}

double folder_gigabytes(const fs::path& folder) {
  double bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
  }
  return bytes / 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, std::string otherwise) {
    return argc > i ? std::string(argv[i]) : otherwise;
  };
  const fs::path folder = fs::path(argument(1, "/tmp")) / "tarl-bench-checkpoint";
  const std::string algo = argument(2, "ta-ddqn"), rows = argument(3, "1000000");
  const std::string every = argument(4, "250000");
  Waits waits;
  envs::registry().add(
      {.name = "bench/noise",
       .aliases = {},
       .title = "noise",
       .make = [&](const envs::EnvConfig&, Rng rng) { return std::make_unique<Noise>(rng, waits); },
       .obs = rl::ObsKind::kBytes});
  const std::int64_t steps = std::stoll(rows) * 3 / 2;
  train::RunRequest request;
  request.folder = folder;
  request.config = train::resolve(
      {.algo = algo,
       .env = "bench/noise",
       .set = {"steps=" + std::to_string(steps), "buffer_size=" + rows, "checkpoint.every=" + every,
               "learning_starts=" + std::to_string(steps), "eval.count=1", "eval.episodes=1"}});
  train::run_training(request);

  double worst_between = 0, between = 0;
  for (const Wait& wait : waits.long_ones) {
    if (wait.after_step == 0) continue;   // start-up
    if (wait.after_step >= steps) break;  // the evaluation at the end
    if (wait.after_step % std::stoll(every) == 0) {
      std::printf("checkpoint after %8ld steps: training stops %6.3f s\n", wait.after_step,
                  wait.seconds);
    } else {
      worst_between = std::max(worst_between, wait.seconds);
      between += wait.seconds;
    }
  }
  std::printf("between checkpoints: longest wait %.3f s, %.1f us a step\n", worst_between,
              1e6 * between / static_cast<double>(steps));
  std::printf("largest memory %.2f GB; on disk at the end %.2f GB\n", status_gigabytes("VmHWM"),
              folder_gigabytes(folder / "checkpoints"));
  fs::remove_all(folder);
}
