// SPDX-License-Identifier: MIT
#include "tarl/study/results/packed.h"

#include <cmath>

#include "study/results_fixture.h"
#include "support/errors.h"
#include "support/garbage.h"

#include "tarl/core/formats/json.h"
#include "tarl/study/results/packed_columns.h"
#include "tarl/study/results/trace_means.h"

namespace tarl::study {
namespace {

using synthetic::RunSpec;
using test::error_of;

class PackedTest : public ResultsTest {
 protected:
  fs::path runs() const { return root() / "runs"; }

  fs::path out() const { return root() / "out"; }

  // DQN and TA-DQN with `seeds` seeds.
  void write_study(int seeds = 3) {
    fs::create_directories(runs());
    synthetic::write_plainly(
        runs() / "study.toml",
        "name = \"s\"\nseeds = " + std::to_string(seeds) +
            "\nenvs = [\"minatar/breakout\"]\nbaseline = \"dqn\"\n[[conditions]]\nlabel = \"dqn\"\n"
            "algo = \"dqn\"\n[[conditions]]\nlabel = \"ta-dqn\"\nalgo = \"ta-dqn\"\n");
    for (int seed = 0; seed < seeds; ++seed) {
      write_one("dqn", seed);
      write_one("ta-dqn", seed);
    }
  }

  void write_one(const std::string& algo, int seed, const RunSpec& like = {}) {
    RunSpec spec = like;
    spec.algo = algo;
    spec.seed = seed;
    spec.margin = algo == "dqn" ? 0 : 1;
    synthetic::write_run(folder_of(algo, seed), spec);
  }

  fs::path folder_of(const std::string& algo, int seed) const {
    return runs() / "minatar/breakout" / algo / ("seed" + std::to_string(seed));
  }

  // The steps of the first group, from the last to the first.
  static std::vector<std::int64_t> backwards(const std::vector<NamedTensor>& arrays) {
    for (const auto& [name, array] : arrays) {
      if (name != "steps_0") continue;
      const auto steps = array.as<std::int64_t>();
      return {steps.rbegin(), steps.rend()};
    }
    return {};
  }

  std::string problem_of_packed() const {
    return error_of([&] { read_packed(out()); });
  }
};

TEST_F(PackedTest, EveryEvaluationIsReadBackAsItWas) {
  write_study();
  write_one("dqn", 0, {.evaluations = 4});                 // one that ends early
  write_one("ta-dqn", 1, {.episodes = 3, .constant = 7});  // whole numbers, other shape
  pack_study(runs(), out());
  const Results before = read_results(runs()), after = read_results(out());
  ASSERT_EQ(after.runs.size(), 6U);
  ASSERT_EQ(before.runs.size(), after.runs.size());
  for (std::size_t i = 0; i < after.runs.size(); ++i) {
    const study::Run &was = before.runs[i], &is = after.runs[i];
    EXPECT_EQ(is.folder, was.folder);
    EXPECT_EQ(is.timesteps, was.timesteps);
    EXPECT_EQ(is.returns, was.returns);
    EXPECT_EQ(is.mean_returns, was.mean_returns);
    EXPECT_EQ(is.curve, was.curve);
    EXPECT_EQ(is.config, was.config);
    EXPECT_EQ(is.env, was.env);
    EXPECT_EQ(is.seed, was.seed);
    EXPECT_EQ(is.first_update, was.first_update);
    EXPECT_EQ(is.status, was.status);
    EXPECT_EQ(is.wall_seconds, was.wall_seconds);
    EXPECT_EQ(is.complete(), was.complete());
  }
  EXPECT_EQ(labels(after), labels(before));
  EXPECT_EQ(after.cells, before.cells);
  EXPECT_EQ(after.problems.size(), before.problems.size());
}

TEST_F(PackedTest, SaysWhatItPackedAndIsTheSameEveryTime) {
  write_study();
  write_one("dqn", 2, {.evaluations = 4});
  const PackedSize size = pack_study(runs(), out());
  EXPECT_EQ(size.runs, 6U);
  EXPECT_EQ(size.unfinished, 1U);
  EXPECT_EQ(size.evaluations, 54U);
  const auto bytes = read_file(out() / kPackedFile);
  EXPECT_EQ(size.bytes, bytes.size() + fs::file_size(out() / "study.toml"));
  pack_study(runs(), out());
  EXPECT_EQ(read_file(out() / kPackedFile), bytes);
}

TEST_F(PackedTest, KeepsHowARunWasMadeAndNotWhere) {
  write_study(1);
  synthetic::write_plainly(
      folder_of("dqn", 0) / "run.json",
      R"({"commit": "abc123", "status": "finished", "host": "a-name", "program": "/home/me/tarl",
          "reproduce": "tarl train --algo dqn", "command": ["/home/me/tarl", "train"]})");
  pack_study(runs(), out());
  const study::Run run = read_packed(out()).front();
  EXPECT_EQ(run.info.at("commit"), "abc123");
  EXPECT_EQ(run.info.at("reproduce"), "tarl train --algo dqn");
  for (const char* key : {"host", "program", "command"})
    EXPECT_FALSE(run.info.contains(key)) << key;
}

TEST_F(PackedTest, LoggedMeansAreRounded) {
  write_study();
  pack_study(runs(), out());
  const Results before = read_results(runs()), after = read_results(out());
  for (std::size_t i = 0; i < after.runs.size(); ++i) {
    const bool aligned = after.runs[i].algo == "ta-dqn";
    EXPECT_EQ(after.runs[i].progress.size(), aligned ? 9U : 1U);  // without the minimum of all
    for (const auto& [column, values] : after.runs[i].progress) {
      const statistics::Curve& exact = before.runs[i].progress.at(column);
      ASSERT_EQ(values.size(), exact.size());
      for (std::size_t row = 0; row < values.size(); ++row) {
        EXPECT_NEAR(values[row], exact[row], 1.0 / 32768) << column;
      }
    }
  }
}

TEST(PackedColumns, SharesAndOtherNumbersComeBackWithinTheirRounding) {
  const statistics::Curve shares = {0, 1, 0.5, 0.123456, NAN, 0.99997};
  const auto back =
      unpack_column("tarl/alignment_mean", pack_column("tarl/alignment_mean", {shares, shares}));
  ASSERT_EQ(back.size(), 2U);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (std::isnan(shares[i])) {
      EXPECT_TRUE(std::isnan(back[1][i]));
    } else {
      EXPECT_NEAR(back[1][i], shares[i], 1.0 / 32768);
    }
  }
  const statistics::Curve wide = {-123.456, 1e-7, 65000, 3e38, 0, -0.0021, NAN, INFINITY};
  const auto numbers = unpack_column("train/loss", pack_column("train/loss", {wide})).front();
  for (std::size_t i = 0; i + 2 < wide.size(); ++i) {
    EXPECT_NEAR(numbers[i], wide[i], std::fabs(wide[i]) / 256) << i;
  }
  EXPECT_TRUE(std::isnan(numbers[6]));
  EXPECT_TRUE(std::isnan(numbers[7]));
}

TEST_F(PackedTest, AFolderWithRunsTakesNoPackedStudy) {
  write_study();
  for (const fs::path& out : {runs(), root(), folder_of("dqn", 0)}) {
    const std::string problem = error_of([&] { pack_study(runs(), out); });
    EXPECT_NE(problem.find("a folder of its own"), std::string::npos) << out;
    EXPECT_FALSE(is_packed(out));
  }
}

TEST_F(PackedTest, StudiesThatCannotBePackedAreRefused) {
  fs::create_directories(runs());
  EXPECT_NE(error_of([&] { pack_study(runs(), out()); }).find("no study"), std::string::npos);
  write_study(1);
  synthetic::write_plainly(folder_of("dqn", 0) / "evaluations.npz", "damage");
  const std::string damage = error_of([&] { pack_study(runs(), out()); });
  EXPECT_NE(damage.find("dqn/seed0: cannot read evaluations.npz"), std::string::npos) << damage;
  fs::remove_all(runs() / "minatar");
  EXPECT_NE(error_of([&] { pack_study(runs(), out()); }).find("no run"), std::string::npos);
  EXPECT_FALSE(fs::exists(out()));
  write_study(1);
  pack_study(runs(), out());
  EXPECT_NE(error_of([&] { pack_study(out(), root() / "twice"); }).find("packed already"),
            std::string::npos);
}

TEST_F(PackedTest, DamagedAndForeignFilesAreOneLine) {
  write_study(1);
  pack_study(runs(), out());
  const auto good = read_file(out() / kPackedFile);
  const auto say = [&](std::span<const std::byte> bytes) {
    synthetic::write_plainly(out() / kPackedFile, bytes.data(), bytes.size());
    return problem_of_packed();
  };
  for (std::size_t size = 0; size < good.size(); size += 97) {
    const std::string problem = say(std::span(good).first(size));
    EXPECT_NE(problem.find("packed.npz"), std::string::npos) << size << problem;
    EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
  }
  const std::string foreign = say(read_file(folder_of("dqn", 0) / "evaluations.npz"));
  EXPECT_NE(foreign.find("not a packed study: holds no array 'about'"), std::string::npos)
      << foreign;
  EXPECT_NE(foreign.find("pack its runs with tarl study pack"), std::string::npos) << foreign;
}

// What is said about the arrays has to fit them.
TEST_F(PackedTest, WhatDoesNotFitTogetherIsRefused) {
  write_study(1);
  pack_study(runs(), out());
  const auto good = load_npz(out() / kPackedFile);
  const auto with = [&](const std::string& from, const std::string& to) {
    auto arrays = good;
    for (auto& [name, array] : arrays) {
      if (name != "about") continue;
      std::string text(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
      const std::size_t at = text.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      text.replace(at, from.size(), to);
      array = Tensor::of(std::as_bytes(std::span(text)), {static_cast<std::int64_t>(text.size())});
    }
    save_npz(out() / kPackedFile, arrays);
  };

  const struct {
    const char *from, *to, *said;
  } cases[] = {{"packed study 1", "packed study 2", "its format is"},
               {"\"evaluations\":0", "\"evaluations\":9", "steps_9"},
               {"\"evaluations\":0", "\"evaluations\":-1", "not a packed study"},
               {"\"algo\":", "\"olga\":", "names no env or no algo"},
               {"\"runs\":[", "\"runs\":[3,", "not a packed study"},
               {"\"folder\":\"", "\"folder\":\"/", "outside of its study"},
               {"\"folder\":\"", "\"folder\":\"a/../../", "outside of its study"},
               {"{\"format\"", "{{\"format\"", "not a packed study"}};

  for (const auto& c : cases) {
    with(c.from, c.to);
    const std::string problem = problem_of_packed();
    EXPECT_NE(problem.find(c.said), std::string::npos) << c.to << ": " << problem;
  }
}

// A report of such a file would need gigabytes, or never end.
TEST_F(PackedTest, ArraysThatNoStudyHasAreRefused) {
  write_study(1);
  pack_study(runs(), out());
  const auto good = load_npz(out() / kPackedFile);
  const auto problem_with = [&](const std::string& replaced, const Tensor& by) {
    auto arrays = good;
    for (auto& [name, array] : arrays) {
      if (name.ends_with(replaced)) array = by;
    }
    write_file_durably(out() / kPackedFile, encode_npz(arrays, Packing::kDeflated));
    return problem_of_packed();
  };
  const Tensor many{Dtype::kU8, {2, 400'000'000, 0}, {}};
  const std::string of_many = problem_with("tarl/alignment_mean", many);
  EXPECT_NE(of_many.find("is no array of"), std::string::npos) << of_many;
  const std::vector<std::int64_t> steps = backwards(good);
  const auto count = static_cast<std::int64_t>(steps.size());
  EXPECT_NE(problem_with("steps_0", Tensor::of(std::span(steps), {count})).find("out of order"),
            std::string::npos);
}

TEST_F(PackedTest, AFolderNamedTwiceIsCountedOnce) {
  write_study(2);
  pack_study(runs(), out());
  const Results results = read_results({out(), out() / "."});
  EXPECT_EQ(results.runs.size(), 4U);
  EXPECT_EQ(labels(results), labels(read_results(out())));
}

TEST_F(PackedTest, AStudyIsNotPackedOverItsRuns) {
  write_study(1);
  EXPECT_NE(error_of([&] { pack_study(runs(), runs()); }).find("folder of its own"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(runs() / kPackedFile));
  pack_study(runs(), out());
  pack_study(runs(), out());  // again
}

TEST_F(PackedTest, SurvivesGarbage) {
  write_study(1);
  pack_study(runs(), out());
  test::feed_garbage(read_file(out() / kPackedFile), 300, [&](const auto& bytes) {
    synthetic::write_plainly(out() / kPackedFile, bytes.data(), bytes.size());
    read_packed(out());
  });
}

}  // namespace
}  // namespace tarl::study
