// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <set>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings/gym_spaces.h"

#include "tarl/envs/registry.h"

namespace tarl::python {

// What C++ holds of a Python object while the loop uses it, for the garbage collector.
class Held {
 public:
  virtual ~Held() = default;
  virtual int traverse(visitproc visit, void* arg) const = 0;
  virtual void close() = 0;  // the environment, which nobody uses again
  virtual void clear() = 0;
};

// Makes environments, and keeps what is no longer used for the next who asks: making one is slow
// beside an evaluation's episode.
class GymMaker {
 public:
  GymMaker(nanobind::object make, const nanobind::object& made);

  nanobind::object take();
  void give_back(nanobind::object env) { spare_.push_back(std::move(env)); }

  void close();
  int traverse(visitproc visit, void* arg) const;
  void clear();

 private:
  nanobind::object make_;
  std::vector<nanobind::object> spare_;
};

// A tarl._bridge.Bridged, as the entry of an environment. What is Python's needs the GIL.
struct GymTask : envs::Entry {
  explicit GymTask(nanobind::object bridged);
  ~GymTask();
  GymTask(const GymTask&) = delete;
  GymTask& operator=(const GymTask&) = delete;

  GymSpaces spaces;
  nanobind::object bridged;
  const bool steps_together;  // in a vector environment
  nanobind::object helpers;  // the module tarl._resume
  GymMaker training;
  GymMaker evaluation;
  std::set<Held*> held;
};

// Closes an environment, whatever it says to that.
void close_quietly(nanobind::handle env);

}  // namespace tarl::python
