// SPDX-License-Identifier: MIT
#include "tarl/train/run_folder.h"

#include "store/checkpoint_examples.h"
#include "support/errors.h"
#include "support/temporary_folder.h"
#include "train/small_run.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/json.h"

namespace tarl::train {
namespace {

using test::error_of;
using test::TemporaryFolder;

struct Interruption {};

// Abandons the run midway, as a kill would, after its first progress report from that step on.
void run_some(RunRequest request, std::int64_t until) {
  request.progress = [until](const Progress& progress) {
    if (progress.step >= until) throw Interruption();
  };
  EXPECT_THROW(run_training(request), Interruption);
}

void edit_config(const fs::path& folder, const std::string& from, const std::string& to) {
  std::string text = read_text(folder / "config.toml");
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << text;
  write_file_durably(folder / "config.toml", text.replace(at, from.size(), to));
}

std::vector<std::pair<std::string, std::string>> contents(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string& name : store::names(folder)) {
    const fs::path path = folder / name;
    all.emplace_back(name, fs::is_regular_file(path) ? read_text(path) : "");
  }
  return all;
}

// A run that loses its folder at `step`: the folder is moved away and another run takes its place.
std::string lose_folder(const TemporaryFolder& root, std::int64_t step, bool replace) {
  RunRequest request = small_run(root / "run");
  bool lost = false;
  std::unique_ptr<store::RunLock> other;
  std::vector<std::pair<std::string, std::string>> before;
  request.progress = [&](const Progress& progress) {
    if (lost || progress.step < step) return;
    lost = true;
    fs::rename(root / "run", root / "moved");
    if (!replace) return;
    fs::create_directories(root / "run/checkpoints/step_000000000001");
    write_file_durably(root / "run/evaluations.npz", std::string_view("another run's"));
    write_file_durably(root / "run/run.json", std::string_view("another run's"));
    other = std::make_unique<store::RunLock>(root / "run");
    before = contents(root / "run");
  };
  const std::string problem = error_of([&] { run_training(request); });
  if (replace) {
    EXPECT_EQ(contents(root / "run"), before) << "at step " << step;
    EXPECT_EQ(store::names(root / "run/checkpoints"),
              std::vector<std::string>{"step_000000000001"});
    EXPECT_EQ(error_of([&] { other->check(); }), "");
  } else {
    EXPECT_FALSE(fs::exists(root / "run"));
  }
  return problem;
}

// Before an evaluation, before a checkpoint, and before the end.
TEST(RunFolder, ARunThatLostItsFolderStopsAndWritesNothingThere) {
  for (const std::int64_t step : {0, 128, 256, 384, 400}) {
    for (const bool replace : {false, true}) {
      const TemporaryFolder root;
      const std::string problem = lose_folder(root, step, replace);
      EXPECT_NE(problem.find((root / "run").string() + " was removed or replaced"),
                std::string::npos)
          << problem;
    }
  }
}

// The folder may go in the middle of a write, which then fails for a reason that does not help.
TEST(RunFolder, ALostFolderIsToldInPlaceOfWhatFailedForIt) {
  const TemporaryFolder root;
  const RunRequest request = small_run(root / "run");
  RunFolder folder(request.folder, request.config, {});
  folder.open();
  folder.try_write_status(store::RunStatus::kFailed, "something");
  EXPECT_TRUE(fs::exists(root / "run/run.json"));
  fs::rename(root / "run", root / "moved");
  EXPECT_NE(error_of([&] {
              folder.try_write_status(store::RunStatus::kFailed, "cannot replace run.json");
            }).find("removed or replaced"),
            std::string::npos);
}

TEST(RunFolder, ARunWhoseFolderWasMovedGoesOnWhereItIs) {
  const TemporaryFolder root;
  run_training(small_run(root / "whole"));
  lose_folder(root, 256, true);
  run_training(stored_run(root / "moved"));
  for (const char* file : {"model.safetensors", "evaluations.npz", "progress.csv", "monitor.csv"}) {
    EXPECT_EQ(read_text(root / "whole" / file), read_text(root / "moved" / file)) << file;
  }
}

TEST(RunFolder, ARunWhoseSettingsWereEditedIsRefusedByName) {
  const TemporaryFolder root;
  run_some(small_run(root / "run"), 256);
  const std::string good = read_text(root / "run/config.toml");
  const auto before = store::names(root / "run/checkpoints");
  for (const auto& [from, to] :
       {std::pair{"gamma = 0.99", "gamma = 0.9"}, std::pair{"seed = 0", "seed = 1"},
        std::pair{"steps = 400", "steps = 200"}, std::pair{"steps = 400", "steps = 800"},
        std::pair{"n_steps = 1", "n_steps = 3"},
        std::pair{"kind = \"uniform\"", "kind = \"per\""}}) {
    edit_config(root / "run", from, to);
    const std::string problem = error_of([&] { run_training(stored_run(root / "run")); });
    EXPECT_NE(problem.find("was started with other settings: "), std::string::npos) << problem;
    EXPECT_NE(problem.find(" -> " + std::string(to).substr(std::string(to).find("= ") + 2)),
              std::string::npos)
        << problem;
    EXPECT_TRUE(test::is_one_line(problem));
    write_file_durably(root / "run/config.toml", good);
  }
  EXPECT_EQ(store::names(root / "run/checkpoints"), before);
  EXPECT_EQ(run_training(stored_run(root / "run")).end, RunEnd::kFinished);
}

TEST(RunFolder, CosmeticSettingsMayBeEdited) {
  const TemporaryFolder root;
  run_some(small_run(root / "run"), 256);
  edit_config(root / "run", "every = 100", "every = 150");
  EXPECT_EQ(run_training(stored_run(root / "run")).end, RunEnd::kFinished);
}

TEST(RunFolder, CosmeticSettingsOfAResumeHoldFromThenOn) {
  const TemporaryFolder root;
  run_some(small_run(root / "run"), 128);
  run_some(small_run(root / "run", true, {"checkpoint.keep=true"}), 256);
  EXPECT_EQ(run_training(stored_run(root / "run")).end, RunEnd::kFinished);
  EXPECT_TRUE(fs::exists(root / "run/checkpoints/step_000000000400"));
}

// Its checkpoints are gone, but nothing has to be recomputed.
TEST(RunFolder, AFinishedRunWithoutAGoodRunJsonIsFinished) {
  const TemporaryFolder root;
  run_training(small_run(root / "run"));
  write_file_durably(root / "run/run.json", std::string_view("torn"));
  EXPECT_EQ(run_training(stored_run(root / "run")).end, RunEnd::kAlreadyFinished);
  EXPECT_EQ(store::load_run_info(root / "run/run.json")->status, store::RunStatus::kFinished);
}

TEST(RunFolder, MoreStepsForAFinishedRunAreRefused) {
  const TemporaryFolder root;
  run_training(small_run(root / "run", false, {"checkpoint.every=0"}));
  EXPECT_EQ(run_training(stored_run(root / "run")).end, RunEnd::kAlreadyFinished);
  edit_config(root / "run", "steps = 400", "steps = 800");
  const std::string problem = error_of([&] { run_training(stored_run(root / "run")); });
  EXPECT_NE(problem.find("steps: 400 -> 800"), std::string::npos) << problem;
}

// A checkpoint of an earlier version does not say what it was computed with.
TEST(RunFolder, FewerStepsThanWereMadeAreRefusedWithoutStoredSettings) {
  const TemporaryFolder root;
  run_some(small_run(root / "run"), 256);
  for (const std::string& name : store::names(root / "run/checkpoints")) {
    const fs::path path = root / "run/checkpoints" / name / "manifest.json";
    store::Manifest manifest = store::decode_manifest(read_text(path), path.string());
    manifest.settings.clear();
    write_file_durably(path, store::encode_manifest(manifest));
  }
  edit_config(root / "run", "steps = 400", "steps = 100");
  const std::string problem = error_of([&] { run_training(stored_run(root / "run")); });
  EXPECT_NE(problem.find("has reached step 200"), std::string::npos) << problem;
  edit_config(root / "run", "steps = 100", "steps = 400");
  EXPECT_EQ(run_training(stored_run(root / "run")).end, RunEnd::kFinished);
}

// Whatever is switched off or on on the way, the run itself stays the same.
TEST(RunFolder, LogsMayBeSwitchedAtEveryResume) {
  const TemporaryFolder root;
  run_training(small_run(root / "whole"));
  for (const char* log : {"log.csv=", "log.tensorboard="}) {
    for (const bool first : {true, false}) {
      const fs::path folder = root / (log + std::to_string(first));
      const auto with = [&](bool on) {
        return std::vector<std::string>{log + std::string(on ? "true" : "false")};
      };
      run_some(small_run(folder, false, with(first)), 128);
      run_some(small_run(folder, true, with(!first)), 256);
      run_some(small_run(folder, true, with(first)), 384);
      run_training(small_run(folder, true, with(!first)));
      for (const char* file : {"model.safetensors", "evaluations.npz"}) {
        EXPECT_EQ(read_text(root / "whole" / file), read_text(folder / file))
            << file << log << first;
      }
    }
  }
}

TEST(RunFolder, SymlinksInItOverwriteNothingElsewhere) {
  const TemporaryFolder root;
  run_training(small_run(root / "whole"));
  fs::create_directory(root / "elsewhere");
  write_file_durably(root / "elsewhere/step_000000000001", std::string_view("mine"));
  const auto before = contents(root / "elsewhere");
  for (const char* name : {"lock", "run.json", "run.json.tmp", "monitor.csv", "evaluations.npz",
                           "evaluations.npz.tmp", "progress.csv", "progress.csv.tmp",
                           "events.out.tfevents.0.tarl", "model.safetensors", "config.toml.tmp"}) {
    const fs::path folder = root / "run";
    fs::remove_all(folder);
    run_some(small_run(folder), 256);
    fs::remove(folder / name);
    fs::create_symlink(root / "elsewhere/step_000000000001", folder / name);
    error_of([&] { run_training(small_run(folder, true)); });
    EXPECT_EQ(contents(root / "elsewhere"), before) << name;
  }
}

TEST(RunFolder, ItsFoldersAreNoSymlinks) {
  const TemporaryFolder root;
  for (const char* name : {"checkpoints", "checkpoints/segments", "checkpoints/repair"}) {
    const fs::path folder = root / "run", away = root / "away";
    fs::remove_all(folder);
    fs::remove_all(away);
    run_some(small_run(folder), 256);
    if (fs::exists(folder / name)) {
      fs::rename(folder / name, away);
    } else {
      fs::create_directory(away);
    }
    fs::create_directory_symlink(away, folder / name);
    const auto before = store::names(away);
    const std::string problem = error_of([&] { run_training(stored_run(folder)); });
    EXPECT_NE(problem.find((folder / name).string() + ": it is a symlink"), std::string::npos)
        << problem;
    EXPECT_EQ(store::names(away), before);
  }
}

TEST(RunFolder, MayItselfBeReachedThroughASymlink) {
  const TemporaryFolder root;
  fs::create_directory(root / "disk");
  fs::create_directory_symlink(root / "disk", root / "run");
  run_some(small_run(root / "run"), 256);
  EXPECT_EQ(run_training(stored_run(root / "run")).end, RunEnd::kFinished);
  EXPECT_TRUE(fs::exists(root / "disk/model.safetensors"));
}

}  // namespace
}  // namespace tarl::train
