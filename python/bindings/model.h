// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/gym_env.h"
#include "bindings/model_watch.h"
#include "bindings/settings.h"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "tarl/core/formats/safetensors.h"
#include "tarl/train/evaluate.h"
#include "tarl/train/run.h"

namespace tarl::python {

// The arguments of a new model.
struct ModelRequest {
  std::string algo;
  std::string env;          // of a native environment
  nanobind::object spaces;  // a tarl._bridge.Bridged: of the environment itself if env is empty
  std::string source;       // the caller, for messages
  std::optional<std::string> preset;
  std::vector<std::string> settings;  // "key=value"
  std::optional<std::string> toml;    // every setting, instead of all of these
  std::string folder;                 // of the run; empty: in memory
  bool resume = false;
  int threads = 1;
  nanobind::object notice;  // called with warnings
};

// How an agent acts for Python: one observation or a batch of them.
struct Acting {
  rl::Agent& agent;
  const GymSpaces& spaces;
  rl::ActMode mode;
  Rng& stream;                  // advanced by draws
  std::mutex* alone = nullptr;  // held while the agent acts
};

// The action, or one row per observation of a batch; and, if frames are stacked, the `state` for
// the next call: the frames so far. None means the beginning of an episode, as does every row in
// `starts`.
nanobind::tuple act(const Acting& acting, nanobind::handle obs, nanobind::handle state,
                    nanobind::handle starts);

// A run held by Python. One thread at a time, except for stop(), is_learning(), steps() and
// updates(); other calls are refused while it learns.
class Model {
 public:
  explicit Model(const ModelRequest& request);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Sets what learn() does next: `steps` more environment steps or, without a number, the rest of
  // an interrupted call. A run that has not begun gets that length, with `evaluations` evaluations.
  void plan(std::optional<std::int64_t> steps, std::int64_t evaluations, std::int64_t episodes);

  // Throws what a callback raised; for `hooks` see ModelWatch.
  void learn(nanobind::handle model, const nanobind::dict& hooks);

  // From any thread: learn() ends after the current step.
  void stop() { asked_to_stop_.store(true, std::memory_order_relaxed); }

  bool is_learning() const { return learning_.load(); }

  std::int64_t steps() const { return steps_.load(std::memory_order_relaxed); }

  std::int64_t updates() const { return updates_.load(std::memory_order_relaxed); }

  // Of the run as it is planned or was begun.
  std::int64_t total_steps() const { return run_->config().steps; }

  nanobind::tuple predict(nanobind::handle obs, nanobind::handle state, nanobind::handle starts,
                          bool deterministic);
  nanobind::dict evaluate(int episodes, std::uint64_t seed, const std::string& env,
                          nanobind::object bridged);
  nanobind::dict evaluations() const;

  nanobind::dict parameters() const;
  void set_parameters(const nanobind::dict& parameters);

  // A model file (docs/model.md), and with `full` everything else, to continue bit-exactly.
  SafetensorsFile file(bool full, const std::map<std::string, std::string>& metadata);
  void load(const SafetensorsFile& file, const std::string& source);

  const train::RunConfig& config() const { return run_->config(); }

  static int traverse(PyObject* self, visitproc visit, void* arg);
  static void finalize(PyObject* self);
  static int clear(PyObject* self);

 private:
  friend class ModelUse;
  friend class FrozenPolicy;

  train::RunConfig config_of(const ModelRequest& request);
  train::RunRequest run_request(const ModelRequest& request);
  void train();
  bool should_stop();
  void stepped(std::int64_t step);
  void tell(const std::string& notice) const;
  bool interrupted();
  const GymSpaces& spaces() const;

  const rl::Agent& agent() const { return std::as_const(*run_).loop().agent(); }

  static constexpr std::chrono::milliseconds kBetweenLooks{50};  // between checks for signals

  train::OwnEnv own_;                  // null if the environment is native
  std::unique_ptr<GymSpaces> spaces_;  // of a native environment
  nanobind::object notice_;
  std::unique_ptr<train::Run> run_;
  bool begun_ = false;
  bool extends_ = false;  // just now
  std::int64_t until_ = 0;
  Rng looks_;  // predict() draws from it

  std::unique_ptr<ModelWatch> watch_;  // while it learns
  std::chrono::steady_clock::time_point looked_;
  std::atomic<bool> asked_to_stop_{false}, learning_{false};
  std::atomic<std::int64_t> steps_{0}, updates_{0};

  std::mutex use_mutex_;
  std::thread::id user_;
  int uses_ = 0;
};

// During its lifetime, other threads are refused access to the model.
class ModelUse {
 public:
  explicit ModelUse(const Model& model);
  ~ModelUse();
  ModelUse(const ModelUse&) = delete;
  ModelUse& operator=(const ModelUse&) = delete;

 private:
  Model& model_;
};

// An immutable snapshot of a model's agent. Any thread may use it.
class FrozenPolicy {
 public:
  FrozenPolicy(const Model& model, const nanobind::object& spaces);

  nanobind::tuple predict(nanobind::handle obs, nanobind::handle state, nanobind::handle starts,
                          bool deterministic);

  static int traverse(PyObject* self, visitproc visit, void* arg);
  static int clear(PyObject* self);

 private:
  GymSpaces spaces_;
  Team team_{1};
  std::unique_ptr<rl::Agent> agent_;
  double epsilon_;
  Rng looks_;
  std::mutex alone_;
};

}  // namespace tarl::python
