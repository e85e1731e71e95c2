// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "bindings/gym_spaces.h"
#include <nanobind/nanobind.h>

#include "tarl/envs/registry.h"

namespace tarl::python {

// The Python objects that C++ holds while the loop uses them, for the garbage collector.
class Held {
 public:
  virtual ~Held() = default;
  virtual int traverse(visitproc visit, void* arg) const = 0;
  virtual void close() = 0;  // the environment, which is not used again
  virtual void clear() = 0;
};

// Makes environments, and keeps unused ones for reuse: making one is slow compared with an
// evaluation episode.
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

// A tarl._bridge.Bridged as a registry entry of an environment. Access to Python objects needs the
// GIL.
struct GymTask : envs::Entry {
  explicit GymTask(nanobind::object bridged);
  ~GymTask();
  GymTask(const GymTask&) = delete;
  GymTask& operator=(const GymTask&) = delete;

  GymSpaces spaces;
  nanobind::object bridged;
  const bool steps_together;  // in a vector environment
  nanobind::object helpers;   // the module tarl._resume
  GymMaker training;
  GymMaker evaluation;
  std::set<Held*> held;
};

// Closes an environment and ignores exceptions.
void close_quietly(nanobind::handle env);

}  // namespace tarl::python
