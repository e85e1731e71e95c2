// SPDX-License-Identifier: MIT
#pragma once

#include "support/temporary_folder.h"

#include "tarl/train/loop.h"

namespace tarl::fleet::test {

// A run on the CPU that can be stepped.
struct CpuRun {
  explicit CpuRun(const train::RunConfig& run_config)
      : config(run_config), logs(folder.path(), {.env_id = config.env}), loop(config, team, logs) {}

  void run_to(std::int64_t step) {
    loop.run(
        {.stop = [this, step] { return loop.step() >= step; }, .progress = {}, .checkpoint = {}});
  }

  Tensors state() const {
    Tensors tensors;
    StateWriter out(tensors);
    loop.save(out);
    return tensors;
  }

  tarl::test::TemporaryFolder folder;
  train::RunConfig config;
  Team team{1};
  store::RunLogs logs;
  train::Loop loop;
};

}  // namespace tarl::fleet::test
