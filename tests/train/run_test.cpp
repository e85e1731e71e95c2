// SPDX-License-Identifier: MIT
#include "tarl/train/run.h"

#include <csignal>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/core/error.h"
#include "tarl/store/run_info.h"

namespace tarl::train {
namespace {

using store::RunStatus;
using test::TemporaryFolder;

RunStatus status_of(const fs::path& folder) {
  return store::load_run_info(folder / "run.json").value().status;
}

TEST(RunTraining, StopsWhereItsCallerSaysAndGoesOnToTheSameModel) {
  const TemporaryFolder root;
  run_training(small_run(root / "whole"));
  const RunOutcome half = stopped_run(small_run(root / "halves"), 150);
  EXPECT_EQ(half.end, RunEnd::kStopped);
  EXPECT_GE(half.step, 150);
  EXPECT_LT(half.step, kSmallRunSteps);
  EXPECT_EQ(status_of(root / "halves"), RunStatus::kStopped);
  EXPECT_EQ(run_training(stored_run(root / "halves")).end, RunEnd::kFinished);
  EXPECT_EQ(status_of(root / "halves"), RunStatus::kFinished);
  EXPECT_EQ(read_text(root / "halves/model.safetensors"),
            read_text(root / "whole/model.safetensors"));
}

TEST(RunTraining, LeavesTheSignalHandlersOfTheProcessAlone) {
  const TemporaryFolder root;
  const auto handlers = [] {
    std::vector<void (*)(int)> all;
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGPIPE}) {
      struct sigaction now {};

      ::sigaction(number, nullptr, &now);
      all.push_back(now.sa_handler);
    }
    return all;
  };
  const auto before = handlers();
  RunRequest request = small_run(root / "run");
  int looked = 0;
  request.progress = [&](const Progress&) {
    EXPECT_EQ(handlers(), before);
    ++looked;
  };
  run_training(request);
  EXPECT_GT(looked, 0);
}

// CartPole in a simulator that cannot save its state.
class Sealed final : public rl::Environment {
 public:
  explicit Sealed(Rng rng)
      : env_(envs::registry().make("classic/cartpole", rng)), spec_(env_->spec()) {
    spec_.name = "test/sealed";
    spec_.resumable = false;
  }

  const rl::EnvSpec& spec() const override { return spec_; }

  void reset(std::span<std::byte> obs) override { env_->reset(obs); }

  rl::StepResult step(const rl::Action& action, std::span<std::byte> obs) override {
    return env_->step(action, obs);
  }

  void save(StateWriter&) const override { require(false, "nobody calls this"); }

  void load(const StateReader&) override { require(false, "nobody calls this"); }

 private:
  std::unique_ptr<rl::Environment> env_;
  rl::EnvSpec spec_;
};

class SealedRun : public testing::Test {
 protected:
  SealedRun() {
    envs::registry().add(
        {.name = "test/sealed",
         .aliases = {},
         .title = "for tests",
         .make = [](const envs::EnvConfig&, Rng rng) { return std::make_unique<Sealed>(rng); }});
  }

  RunRequest request(const std::string& every) {
    return small_run(root_ / "run", false, {"checkpoint.every=" + every}, "test/sealed");
  }

  TemporaryFolder root_;
};

TEST_F(SealedRun, IsRefusedWithCheckpoints) {
  const std::string problem = test::error_of([&] { run_training(request("100")); });
  EXPECT_NE(problem.find("test/sealed"), std::string::npos) << problem;
  EXPECT_NE(problem.find("checkpoint.every = 0"), std::string::npos) << problem;
  EXPECT_FALSE(fs::exists(root_ / "run"));
}

TEST_F(SealedRun, FinishesInOneGo) {
  EXPECT_EQ(run_training(request("0")).end, RunEnd::kFinished);
  EXPECT_TRUE(fs::exists(root_ / "run/model.safetensors"));
}

TEST_F(SealedRun, BeginsAnewAfterAStop) {
  EXPECT_EQ(stopped_run(request("0"), 150).end, RunEnd::kStopped);
  EXPECT_EQ(status_of(root_ / "run"), RunStatus::kStopped);
  EXPECT_EQ(run_training(stored_run(root_ / "run")).end, RunEnd::kFinished);
}

}  // namespace
}  // namespace tarl::train
