// SPDX-License-Identifier: MIT
#pragma once

#include "fleet/cpu_run.h"
#include "fleet/gpu/fleet_helpers.h"

// Compares a fleet's agent with the CPU's, step by step: actions, drawn slots and kept rows.
namespace tarl::fleet::test {

struct Case {
  std::string algo, env;
  std::vector<std::string> set;
};

inline std::string name_of(const Case& c) {
  std::string text = c.algo + " " + c.env;
  for (const std::string& assignment : c.set) text += " " + assignment;
  return text;
}

// The largest difference of the online parameters, relative to the largest of them.
inline double parameter_distance(const AgentSpec& spec, DeviceAgent& device, const CpuRun& cpu) {
  const Tensors state = cpu.state();
  const AgentImage theirs = load_image(spec, StateReader(state, "cpu"));
  const AgentImage ours = device.download();
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < ours.values.size(); ++i) {
    difference = std::max(difference, std::fabs(double{ours.values[i]} - theirs.values[i]));
    size = std::max(size, std::fabs(double{theirs.values[i]}));
  }
  return difference / size;
}

// The first step at which fleet and CPU differ, or 0 if they never do.
inline std::int64_t first_split(const train::RunConfig& config, std::string& what,
                                double& distance) {
  const AgentSpec spec = make_spec(config);
  CpuRun cpu(config);
  const auto device = test::new_device_agent(config, true);
  // The last step has the evaluation, which a stopped CPU run postpones.
  for (std::int64_t step = 1; step < config.steps; ++step) {
    cpu.run_to(step);
    advance(*device, step);
    const AgentState& state = device->state();
    const train::Learner& learner = cpu.loop.learner();
    if (state.updates != learner.updates()) {
      what = "number of updates";
      return step;
    }
    if (state.updates == 0) continue;
    const LastUpdate ours = device->last_update();
    if (ours.index != learner.last_sample().index) {
      what = "drawn slots";
      return step;
    }
    const auto kept = learner.last_kept();
    if (!std::equal(kept.begin(), kept.end(), ours.kept.begin(), ours.kept.end())) {
      what = "kept rows";
      return step;
    }
  }
  distance = parameter_distance(spec, *device, cpu);
  const Tensors state = cpu.state();
  const AgentImage theirs = load_image(spec, StateReader(state, "cpu"));
  const AgentImage ours = device->download();
  if (!same_rows(ours.storage, theirs.storage)) {
    what = "replay";
    return config.steps;
  }
  return 0;
}

}  // namespace tarl::fleet::test
