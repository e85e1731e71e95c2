// SPDX-License-Identifier: MIT
#include <string>

#include "bindings/gym_pools.h"

namespace nb = nanobind;

namespace tarl::python {

GymLanes::GymLanes(const std::shared_ptr<GymTask>& task, std::span<const Rng> streams) {
  for (const Rng& stream : streams) {
    lanes_.push_back(std::make_unique<GymEnvironment>(task, task->training, stream));
  }
}

void GymLanes::reset(std::span<const int> places, std::span<std::byte> obs) {
  const std::size_t bytes = spec().obs.bytes();
  for (const int place : places) {
    const auto i = static_cast<std::size_t>(place);
    lanes_[i]->reset(obs.subspan(i * bytes, bytes));
  }
}

void GymLanes::step(std::span<const rl::Action> actions, std::span<std::byte> obs,
                    std::span<rl::StepResult> results) {
  const nb::gil_scoped_acquire gil;  // once for all
  const std::size_t bytes = spec().obs.bytes();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    results[i] = lanes_[i]->step(actions[i], obs.subspan(i * bytes, bytes));
  }
}

void GymLanes::save(StateWriter& out) const {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    StateWriter group = out.group(std::to_string(i));
    lanes_[i]->save(group);
  }
}

std::vector<int> GymLanes::load(const StateReader& in) {
  std::vector<int> lost;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i]->load(in.group(std::to_string(i)));
    if (!lanes_[i]->resumes()) lost.push_back(static_cast<int>(i));
  }
  return lost;
}

}  // namespace tarl::python
