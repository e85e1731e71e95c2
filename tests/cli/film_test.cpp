// SPDX-License-Identifier: MIT
#include "tarl/cli/film.h"

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/cli/episode_trace.h"
#include "tarl/core/formats/npz.h"
#include "tarl/envs/registry.h"
#include "tarl/rl/random_action.h"

namespace tarl::cli {

namespace {

using test::error_of;

TEST(Pace, OfAFilmIsTheTasks) {
  struct Case {
    double step;
    int gif_steps;
    double gif_seconds;
    int video_steps;
  };

  const Case cases[] = {{0.02, 1, 0.02, 1},      // Box2D, CartPole
                        {0.05, 1, 0.05, 1},      // Pendulum, HalfCheetah
                        {0.008, 5, 0.04, 3},     // Hopper
                        {4.0 / 60, 1, 0.07, 1},  // Atari: within 5 %
                        {0.2, 1, 0.2, 1},        // Acrobot
                        {0, 1, 0.06, 1}};        // MinAtar has no time
  for (const Case& one : cases) {
    const Pace gif = gif_pace(one.step), video = video_pace(one.step);
    EXPECT_EQ(gif.steps, one.gif_steps) << one.step;
    EXPECT_NEAR(gif.seconds, one.gif_seconds, 1e-12) << one.step;
    EXPECT_EQ(video.steps, one.video_steps) << one.step;
    EXPECT_NEAR(video.seconds, one.video_steps * (one.step > 0 ? one.step : 0.06), 1e-12);
  }
}

TEST(Film, NamedAsAnotherKindIsRefused) {
  EXPECT_NE(error_of([] { gif_film("play.mp4", 0.02); }).find("use --video play.mp4"),
            std::string::npos);
  EXPECT_NE(error_of([] { video_film("play.gif", 0.02); }).find("use --gif play.gif"),
            std::string::npos);
}

const Tensor& array(const std::vector<NamedTensor>& arrays, const std::string& name) {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const auto& it) { return it.first == name; });
  if (found == arrays.end()) throw Error("no array " + name);
  return found->second;
}

TEST(EpisodeTrace, HoldsEveryStepWithUnpackedObservations) {
  const test::TemporaryFolder folder;
  auto env = envs::registry().make("minatar/breakout", seeded(1));
  const rl::EnvSpec spec = env->spec();
  EpisodeTrace trace(spec);
  trace.begin_episode();
  WatchedEnvironment watched(std::move(env), {&trace});
  std::vector<std::byte> obs(spec.obs.bytes());
  watched.reset(obs);
  Rng rng = seeded(2);
  double points = 0;
  std::vector<std::vector<std::byte>> seen;
  std::vector<std::int64_t> chosen;
  for (bool over = false; !over;) {
    const rl::Action action = rl::random_action(spec.action, rng);
    seen.push_back(obs);
    chosen.push_back(action.index);
    const rl::StepResult result = watched.step(action, obs);
    points += double{result.reward};
    over = result.done();
  }
  trace.save(folder / "steps.npz");
  const auto arrays = load_npz(folder / "steps.npz");
  const auto steps = static_cast<std::int64_t>(chosen.size());
  const Tensor& observations = array(arrays, "observations");
  EXPECT_EQ(observations.shape, (std::vector<std::int64_t>{steps, 4, 10, 10}));
  const auto actions = array(arrays, "actions").as<std::int64_t>();
  EXPECT_EQ(std::vector<std::int64_t>(actions.begin(), actions.end()), chosen);
  double sum = 0;
  for (const double reward : array(arrays, "rewards").as<double>()) sum += reward;
  EXPECT_EQ(sum, points);
  EXPECT_EQ(array(arrays, "terminated").as<std::uint8_t>().back(), 1);
  EXPECT_EQ(array(arrays, "episodes").as<std::int64_t>().front(), 1);
  const auto cells = observations.as<std::uint8_t>();
  for (std::size_t step = 0; step < seen.size(); ++step) {
    for (std::size_t cell = 0; cell < 400; ++cell) {
      const std::size_t bit = cell % 100 * 4 + cell / 100;  // as docs/model.md has it
      const int expected = (static_cast<int>(seen[step][bit / 8]) >> (bit % 8)) & 1;
      ASSERT_EQ(cells[step * 400 + cell], expected) << step << " " << cell;
    }
  }
}

}  // namespace

}  // namespace tarl::cli
