// SPDX-License-Identifier: MIT
#pragma once

#include <thread>

#include "fleet/cpu_run.h"
#include "support/errors.h"
#include <gtest/gtest.h>

#include "tarl/core/machine.h"
#include "tarl/fleet/fleet_run.h"
#include "tarl/fleet/hosted/hosted_run.h"

namespace tarl::fleet::test {

// That many threads, possibly more than there are processors.
inline HostEngine::Options cores(int count) {
  const std::vector<int> cpus = usable_cpus();
  HostEngine::Options options;
  for (int i = 0; i < count; ++i) {
    options.cpus.push_back(cpus[static_cast<std::size_t>(i) % cpus.size()]);
  }
  return options;
}

// A run of a device program, with the recorder that FleetRun keeps beside it: together they have
// everything train::Loop has.
class DeviceCase {
 public:
  using Make = std::function<std::unique_ptr<DeviceRun>(const train::RunConfig&, const SavedRun&)>;

  DeviceCase(const train::RunConfig& run_config, const Make& make, const Tensors& saved = {})
      : config_(run_config), logs_(folder_.path(), {.env_id = config_.env}) {
    const Tensors begin = saved.empty() ? fresh_state(config_) : saved;
    const StateReader in(begin, "test");
    recorder_.load(in);
    position_ = train::LoopPosition::load(in);
    recorder_.begin(position_.step, 0);
    run_ = make(config_, {in, [](rl::SegmentedRows&) {}, recorder_.means()});
  }

  std::int64_t step() const { return position_.step; }

  bool there(std::int64_t stop) const {
    return position_.step >= stop && position_.phase == train::Phase::kCollect;
  }

  // Begins a slice of at most that many steps.
  void start(std::int64_t stop, std::int64_t longest) {
    run_->start(std::min(std::max(stop, position_.step), slice_end(config_, position_, longest)));
  }

  // Whether it is over; if so, records its report.
  bool ended() {
    if (!run_->ended()) return false;
    SliceReport report = run_->report();
    position_ = report.position;
    for (const EndedEpisode& episode : report.episodes) {
      recorder_.episode(episode.score, episode.length, episode.step);
    }
    recorder_.means() = std::move(report.means);
    if (report.evaluation) {
      recorder_.evaluation(position_.step, *report.evaluation, report.updates);
    }
    nonfinite = report.nonfinite;
    return true;
  }

  void run_to(std::int64_t stop, std::int64_t longest = 1000) {
    while (!there(stop) && nonfinite.empty()) {
      start(stop, longest);
      while (!ended()) std::this_thread::yield();
    }
  }

  Tensors state() {
    Tensors tensors;
    StateWriter out(tensors);
    run_->download()->save(out);
    recorder_.save(out);
    return tensors;
  }

  DeviceRun& run() { return *run_; }

  std::string nonfinite;

 private:
  tarl::test::TemporaryFolder folder_;
  train::RunConfig config_;
  store::RunLogs logs_;
  train::RunRecorder recorder_{config_, logs_};
  train::LoopPosition position_;
  std::unique_ptr<DeviceRun> run_;
};

// Runs all cases concurrently to that step.
inline void run_all_to(std::vector<std::unique_ptr<DeviceCase>>& cases, std::int64_t stop,
                       std::int64_t longest = 1000) {
  for (auto& one : cases) one->start(stop, longest);
  std::vector<bool> over(cases.size());
  for (std::size_t left = cases.size(); left > 0;) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (over[i] || !cases[i]->ended()) continue;
      over[i] = cases[i]->there(stop) || !cases[i]->nonfinite.empty();
      if (over[i]) {
        --left;
      } else {
        cases[i]->start(stop, longest);
      }
    }
    std::this_thread::yield();
  }
}

inline void expect_same(const Tensors& ours, const Tensors& theirs, const std::string& what) {
  for (const auto& [name, tensor] : theirs) {
    const auto at = ours.find(name);
    ASSERT_NE(at, ours.end()) << what << ": no " << name;
    EXPECT_TRUE(at->second.bytes == tensor.bytes) << what << ": " << name << " differs";
  }
  EXPECT_EQ(ours.size(), theirs.size()) << what;
}

// Runs side by side beside train::Loop, to the bit.
inline void expect_the_loops(const DeviceCase::Make& make,
                             const std::vector<train::RunConfig>& configs,
                             const std::vector<std::int64_t>& stops) {
  std::vector<std::unique_ptr<DeviceCase>> cases;
  std::vector<std::unique_ptr<CpuRun>> loops;
  for (const train::RunConfig& config : configs) {
    cases.push_back(std::make_unique<DeviceCase>(config, make));
    loops.push_back(std::make_unique<CpuRun>(config));
  }
  for (const std::int64_t stop : stops) {
    run_all_to(cases, stop, 43);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      loops[i]->run_to(stop);
      expect_same(cases[i]->state(), loops[i]->state(),
                  configs[i].algo + " on " + configs[i].env + ", step " + std::to_string(stop));
    }
  }
}

// From the CPU to the device and back, begun at `stop` and ended at `end`, to the bit.
inline void expect_moves(const DeviceCase::Make& make, const train::RunConfig& config,
                         std::int64_t stop, std::int64_t end) {
  CpuRun whole(config), half(config), rest(config);
  whole.run_to(end);
  half.run_to(stop);
  DeviceCase there(config, make, half.state());
  there.run_to(end - 20);
  DeviceCase again(config, make, there.state());
  again.run_to(end - 10);
  const Tensors moved = again.state();
  rest.loop.load(StateReader(moved, "test"));
  rest.run_to(end);
  expect_same(rest.state(), whole.state(), config.algo + " moved at " + std::to_string(stop));
}

// A reward in the replay that is not finite, once `begin` steps are made: the device stops where
// the CPU does, and says the same.
inline void expect_the_same_stop(const DeviceCase::Make& make, const train::RunConfig& config,
                                 std::int64_t begin) {
  CpuRun loop(config);
  loop.run_to(begin);
  Tensors poisoned = loop.state();
  const float bad = std::numeric_limits<float>::infinity();
  auto& rewards = poisoned.at("replay/storage/tail/reward").bytes;
  std::memcpy(rewards.data() + static_cast<std::size_t>(begin - 5) * sizeof bad, &bad, sizeof bad);
  CpuRun broken(config);
  broken.loop.load(StateReader(poisoned, "test"));
  const std::string expected = tarl::test::error_of([&] { broken.run_to(config.steps - 10); });
  ASSERT_FALSE(expected.empty());
  DeviceCase one(config, make, poisoned);
  one.run_to(config.steps - 10);
  EXPECT_EQ(one.nonfinite, expected);
  EXPECT_EQ(one.run().suspects().index, broken.loop.suspects().index);
}

}  // namespace tarl::fleet::test
