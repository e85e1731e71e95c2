// SPDX-License-Identifier: MIT
#include <cstdio>

#include "tarl/cli/json_output.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/study/results/run.h"
#include "tarl/train/clean_run.h"

namespace tarl::cli {

namespace {

struct Cleaned {
  fs::path folder;
  train::Unneeded unneeded;
};

Json cleaned_json(const fs::path& folder, bool dry_run, const std::vector<Cleaned>& runs,
                  std::uint64_t bytes) {
  Json json = {{"folder", folder.string()},
               {"dry_run", dry_run},
               {"bytes", bytes},
               {"removed", Json::array()},
               {"left_alone", Json::array()}};
  for (const Cleaned& run : runs) {
    for (const auto& item : run.unneeded.items) {
      json["removed"].push_back({{"path", item.path.string()}, {"bytes", item.bytes}});
    }
    if (!run.unneeded.passed_over.empty()) {
      json["left_alone"].push_back(
          {{"path", run.folder.string()}, {"why", run.unneeded.passed_over}});
    }
  }
  return json;
}

void print_cleaned(bool dry_run, const std::vector<Cleaned>& runs, std::uint64_t bytes) {
  for (const Cleaned& run : runs) {
    for (const auto& item : run.unneeded.items) {
      std::printf("%14llu  %s\n", static_cast<unsigned long long>(item.bytes), item.path.c_str());
    }
    if (!run.unneeded.passed_over.empty()) {
      std::printf("%14s  %s: %s\n", "left alone", run.folder.c_str(),
                  run.unneeded.passed_over.c_str());
    }
  }
  if (bytes == 0) {
    std::printf("nothing to remove\n");
    return;
  }
  std::printf("%14llu  bytes %s\n", static_cast<unsigned long long>(bytes),
              dry_run ? "would be freed" : "freed");
}

int run_clean(const Args& args) {
  const fs::path folder = args.positional().front();
  if (!fs::is_directory(folder)) {
    throw UsageError(folder.string() + " is no folder; name a run, a study or a folder with runs");
  }
  const bool dry_run = args.has("--dry-run");
  std::vector<Cleaned> runs;
  std::uint64_t bytes = 0;
  for (const fs::path& run : study::find_run_folders(folder)) {
    runs.push_back({run, train::clean_run(run, !dry_run)});
    bytes += runs.back().unneeded.bytes();
  }
  if (wants_json(args)) return print_json(cleaned_json(folder, dry_run, runs, bytes));
  print_cleaned(dry_run, runs, bytes);
  return kExitGood;
}

}  // namespace

Verb clean_verb() {
  return {
      .name = "clean",
      .summary =
          "free disk space: checkpoints of finished runs (unless checkpoint.keep), leftovers of "
          "killed writes",
      .usage = "DIR [--dry-run] [--json]",
      .options = {{"--dry-run", "", "only list what would go, in bytes", {}}, json_option()},
      .examples = {"tarl clean runs --dry-run", "tarl clean runs/minatar-replay"},
      .min_positional = 1,
      .max_positional = 1,
      .run = run_clean};
}

}  // namespace tarl::cli
