// SPDX-License-Identifier: MIT
#include "bindings/model.h"

#include <limits>
#include <stdexcept>
#include <utility>

#include <nanobind/stl/string.h>

#include "tarl/core/error.h"
#include "tarl/store/run_files.h"
#include "tarl/train/extend.h"
#include "tarl/train/margin.h"
#include "tarl/train/run_folder.h"

namespace nb = nanobind;

namespace tarl::python {

namespace {

// Log rows of a run without evaluations, which would otherwise write them.
constexpr std::int64_t kLogRows = 100;

void check_model_folder(const fs::path& folder, bool resume) {
  const bool holds_run = !folder.empty() && fs::exists(folder / store::kConfigFile);
  if (!resume && holds_run) {
    throw UsageError(folder.string() +
                     " already holds a run; go on with tarl.resume(), or choose another run_dir");
  }
  if (resume && !holds_run) throw Error("no run to resume in " + folder.string());
}

// The interval between evaluations is settled when a run begins, and a longer run keeps it.
void refuse_other_evaluations(const train::RunConfig& config, std::int64_t from, std::int64_t to,
                              std::int64_t evaluations, std::int64_t episodes) {
  if (evaluations == 0) return;
  const std::int64_t planned = config.eval.count == 0 ? 0
                                                      : train::evaluations_due(config, to) -
                                                            train::evaluations_due(config, from);
  if (planned == evaluations && config.eval.episodes == episodes) return;
  throw UsageError("n_evaluations = " + std::to_string(evaluations) +
                   ": the first learn() of a run settles its evaluations, and these steps have " +
                   std::to_string(planned) + " of " + std::to_string(config.eval.episodes) +
                   " episodes; leave n_evaluations out, or evaluate with "
                   "tarl.callbacks.EvalCallback(every=...)");
}

// The run would start over.
void refuse_without_checkpoint(const fs::path& folder, const train::RunConfig& config) {
  const bool over = train::is_finished(folder, config) || train::has_model_alone(folder);
  if (!over || fs::exists(folder / store::kCheckpointFolder)) return;
  throw Error(folder.string() + " is finished and kept no checkpoint to go on from; tarl.load(\"" +
              (folder / store::kModelFile).string() + "\") has its agent");
}

}  // namespace

ModelUse::ModelUse(const Model& model) : model_(const_cast<Model&>(model)) {
  const std::lock_guard lock(model_.use_mutex_);
  const auto me = std::this_thread::get_id();
  if (model_.uses_ > 0 && model_.user_ != me) {
    throw std::runtime_error(
        "this model is in use in another thread; give threads their own policy(), or stop() it");
  }
  model_.user_ = me;
  ++model_.uses_;
}

ModelUse::~ModelUse() {
  const std::lock_guard lock(model_.use_mutex_);
  --model_.uses_;
}

Model::Model(const ModelRequest& request) : notice_(request.notice) {
  check_model_folder(request.folder, request.resume);
  if (request.env.empty()) {
    own_ = own_env(request.spaces);
  } else {
    spaces_ = std::make_unique<GymSpaces>(request.spaces);
  }
  train::RunRequest run = run_request(request);
  if (request.resume) refuse_without_checkpoint(request.folder, run.config);
  const nb::gil_scoped_release free;
  run_ = std::make_unique<train::Run>(std::move(run));
  looks_ = seeded(static_cast<std::uint64_t>(config().seed)).fork("predict");
  if (!request.resume) return;
  run_->open();
  begun_ = true;
  stepped(run_->loop().step());
}

Model::~Model() = default;

train::RunConfig Model::config_of(const ModelRequest& request) {
  if (request.toml) return train::config_from_toml(*request.toml, "the model's settings", own_);
  if (request.resume) return train::stored_config(request.folder, own_);
  train::ConfigRequest asked{.algo = request.algo,
                             .preset = request.preset,
                             .set = request.settings,
                             .source = request.source,
                             .own_env = own_};
  if (!own_) asked.env = request.env;
  return train::resolve(asked);
}

train::RunRequest Model::run_request(const ModelRequest& request) {
  const auto notice = [this](const std::string& text) { tell(text); };
  train::RunRequest run;
  run.config = config_of(request);
  run.folder = request.folder;
  run.resume = request.resume;
  run.threads = request.threads;
  run.notice = notice;
  run.stop = [this] { return should_stop(); };
  run.stepped = [this](std::int64_t step) { stepped(step); };
  run.checkpointed = [this](std::int64_t step) {
    if (watch_) watch_->checkpointed(step);
  };
  run.watch.episode = [this](double ret, std::int64_t length, std::int64_t step) {
    if (watch_) watch_->episode(ret, length, step);
  };
  run.watch.row = [this](std::int64_t step, const store::LogRow& row) {
    if (watch_) watch_->row(step, row);
  };
  run.watch.evaluation = [this](std::int64_t step, std::span<const double> returns,
                                std::span<const std::int64_t> lengths) {
    if (watch_) watch_->evaluation(step, returns, lengths);
  };
  const nb::gil_scoped_release free;
  run.config = train::with_margin(run.config, run.threads, notice);
  return run;
}

const GymSpaces& Model::spaces() const {
  return own_ ? spaces_of(own_) : *spaces_;
}

void Model::tell(const std::string& notice) const {
  if (extends_) return;  // the caller asked for it
  const nb::gil_scoped_acquire gil;
  notice_(notice);
}

void Model::plan(std::optional<std::int64_t> steps, std::int64_t evaluations,
                 std::int64_t episodes) {
  const ModelUse use(*this);
  asked_to_stop_ = false;  // here, so that learn() honours a stop before its first step
  if (!steps && !begun_)
    throw UsageError("learn() wants to know how many steps a new model trains");
  const std::int64_t total = steps ? this->steps() + *steps : total_steps();
  if (begun_) refuse_other_evaluations(config(), this->steps(), total, evaluations, episodes);
  if (!begun_) {
    train::EvalConfig eval = config().eval;
    eval.count = evaluations;
    eval.episodes = episodes;
    std::int64_t log_every = config().log.every;
    if (evaluations == 0 && log_every == 0) log_every = std::max<std::int64_t>(1, total / kLogRows);
    run_->plan(total, eval, log_every);
  } else if (total > total_steps()) {
    extends_ = true;

    struct Extending {
      bool& extends;

      ~Extending() { extends = false; }
    } const extending{extends_};

    run_->set_steps(total);
  }
  until_ = total < total_steps() ? total : std::numeric_limits<std::int64_t>::max();
}

void Model::learn(nb::handle model, const nb::dict& hooks) {
  const ModelUse use(*this);
  if (learning_.exchange(true)) {
    throw std::runtime_error("learn() is under way: a callback cannot call it again");
  }

  struct Learning {
    Model& model;

    ~Learning() {
      model.watch_.reset();
      model.learning_ = false;
    }
  } const learning{*this};

  watch_ = std::make_unique<ModelWatch>(model, hooks, steps());
  begun_ = true;
  train();
  watch_->rethrow();
}

void Model::train() {
  const nb::gil_scoped_release free;
  looked_ = std::chrono::steady_clock::now();
  run_->train();
}

// Polled in every phase of a step. A stop takes effect only between steps, except in an evaluation,
// which is then repeated.
bool Model::should_stop() {
  const auto now = std::chrono::steady_clock::now();
  if (watch_ && now - looked_ >= kBetweenLooks) {
    looked_ = now;
    const nb::gil_scoped_acquire gil;
    watch_->look_for_signals();
  }
  return asked_to_stop_.load(std::memory_order_relaxed) || (watch_ && watch_->wants_stop());
}

void Model::stepped(std::int64_t step) {
  steps_.store(step, std::memory_order_relaxed);
  updates_.store(run_->loop().learner().updates(), std::memory_order_relaxed);
  if (!watch_) return;
  watch_->stepped(step);
  if (step >= until_) watch_->ask_for_stop();
}

int Model::traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const Model& model = *nb::inst_ptr<Model>(self);
  Py_VISIT(model.notice_.ptr());
  if (model.watch_) {
    if (const int stop = model.watch_->traverse(visit, arg)) return stop;
  }
  if (model.own_) return python::traverse(model.own_, visit, arg);
  return model.spaces_ ? model.spaces_->traverse(visit, arg) : 0;
}

void Model::finalize(PyObject* self) {
  if (!nb::inst_ready(self)) return;
  const Model& model = *nb::inst_ptr<Model>(self);
  if (model.own_) python::close(model.own_);
}

int Model::clear(PyObject* self) {
  Model& model = *nb::inst_ptr<Model>(self);
  model.notice_.reset();
  if (model.own_) python::clear(model.own_);
  if (model.spaces_) model.spaces_->clear();
  return 0;
}

}  // namespace tarl::python
