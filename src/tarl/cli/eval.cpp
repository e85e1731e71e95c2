// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdio>
#include <numeric>

#include "tarl/cli/json_output.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/core/formats/gif.h"
#include "tarl/envs/registry.h"
#include "tarl/train/evaluate.h"
#include "tarl/train/policy.h"

namespace tarl::cli {

namespace {

constexpr std::size_t kMaxGifFrames = 2000;
constexpr int kGifDelayMs = 60;

// Passes everything through to an environment and keeps a picture of each step.
class FilmedEnvironment final : public rl::Environment {
 public:
  FilmedEnvironment(std::unique_ptr<rl::Environment> env, std::vector<GifFrame>& film)
      : env_(std::move(env)), film_(film) {}

  const rl::EnvSpec& spec() const override { return env_->spec(); }

  void reset(std::span<std::byte> obs) override {
    env_->reset(obs);
    shoot();
  }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    const rl::StepResult result = env_->step(action, obs);
    shoot();
    return result;
  }

  void save(StateWriter& out) const override { env_->save(out); }

  void load(const StateReader& in) override { env_->load(in); }

 private:
  void shoot() {
    if (film_.size() >= kMaxGifFrames) return;
    std::string why;
    auto image = env_->render(why);
    if (!image) throw Error("no picture of " + env_->spec().name + ": " + why);
    film_.push_back({image->width, image->height, std::move(image->rgb)});
  }

  std::unique_ptr<rl::Environment> env_;
  std::vector<GifFrame>& film_;
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

int run_eval(const Args& args) {
  const fs::path folder = args.positional().front();
  const auto gif = args.value("--gif");
  if (gif) require_replaceable(*gif);
  const auto episodes = static_cast<int>(args.whole("--episodes", 10, 1, 100'000));
  const Rng root = seeded(static_cast<std::uint64_t>(args.whole("--seed", 0, 0, 1LL << 53)));
  train::Policy policy(
      folder, [](const std::string& line) { std::fprintf(stderr, "tarl: %s\n", line.c_str()); });
  if (const auto step = policy.checkpoint_step()) {
    std::fprintf(stderr, "tarl: the run is not finished; using its checkpoint of step %s\n",
                 std::to_string(*step).c_str());
  }
  const train::RunConfig& config = policy.config();
  const envs::Entry& entry = envs::registry().find(config.env);

  std::vector<GifFrame> film;
  bool filmed = false;
  const rl::MakeEnvironment make = [&](Rng rng) -> std::unique_ptr<rl::Environment> {
    auto env = entry.make(config.env_config, rng);
    if (!gif || std::exchange(filmed, true)) return env;
    return std::make_unique<FilmedEnvironment>(std::move(env), film);
  };
  const auto scores = train::evaluate_policy({.make = make,
                                              .agent = policy.agent(),
                                              .episodes = episodes,
                                              .epsilon = config.eval.epsilon,
                                              .stream = root.fork("evaluate")});
  if (gif) save_gif(*gif, film, kGifDelayMs);
  if (wants_json(args)) {
    return print_json({{"run", folder.string()},
                       {"algo", config.algo},
                       {"env", config.env},
                       {"returns", scores->returns},
                       {"lengths", scores->lengths},
                       {"mean", mean(scores->returns)},
                       {"standard_deviation", deviation(scores->returns)},
                       {"cut_episodes", scores->cut},
                       {"gif", gif ? Json(*gif) : Json()}});
  }
  for (std::size_t i = 0; i < scores->returns.size(); ++i) {
    std::printf("episode %2zu: return %10.3f, %lld steps\n", i + 1, scores->returns[i],
                static_cast<long long>(scores->lengths[i]));
  }
  std::printf("%s on %s: mean return %.3f, standard deviation %.3f over %zu episodes%s\n",
              config.algo.c_str(), config.env.c_str(), mean(scores->returns),
              deviation(scores->returns), scores->returns.size(),
              scores->cut > 0 ? " (some cut at the step limit)" : "");
  if (gif) {
    std::printf("first episode -> %s (%zu frames)\n", gif->c_str(), film.size());
  }
  return kExitGood;
}

}  // namespace

Verb eval_verb() {
  return {
      .name = "eval",
      .summary = "play a trained agent: returns of whole episodes, and a film",
      .usage = "RUN [--episodes N] [--gif FILE] [--seed N] [--json]",
      .options = {{"--episodes", "N", "episodes to play (default 10)", {}},
                  {"--gif", "FILE", "write the first episode as an animated GIF", {}},
                  {"--seed", "N", "seed of the episodes (default 0)", {}},
                  json_option()},
      .examples = {"tarl eval runs/minatar/breakout/ta-dqn/seed0",
                   "tarl eval runs/minatar/breakout/ta-dqn/seed0 --episodes 100 --gif play.gif"},
      .min_positional = 1,
      .max_positional = 1,
      .run = run_eval};
}

}  // namespace tarl::cli
