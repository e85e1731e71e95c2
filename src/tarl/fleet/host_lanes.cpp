// SPDX-License-Identifier: MIT
#include "tarl/fleet/host_lanes.h"

#include <numeric>

#include "tarl/core/error.h"

namespace tarl::fleet {

HostLanes::HostLanes(CorePool& pool, const Request& request)
    : pool_(pool),
      env_(request.env),
      refuse_nonfinite_(request.refuse_nonfinite),
      arrived_(request.arrived),
      slots_(request.make, train::training_streams(request.root, request.n_envs), request.allocate),
      all_(static_cast<std::size_t>(request.n_envs)),
      step_(request.step),
      group_(
          pool.add(request.name, "environment", request.n_envs, [this](int slot) { work(slot); })) {
  std::iota(all_.begin(), all_.end(), 0);
}

HostLanes::~HostLanes() {
  pool_.remove(group_);
}

void HostLanes::require_here() const {
  require(!pool_.busy(group_), "the cores still have the run's environments");
}

void HostLanes::send() {
  require(!in_step_, "the previous step has not been ended");
  in_step_ = true;
  step_ += slots_.size();
  job_ = Job::kStep;
  pool_.start(group_, all_);
}

bool HostLanes::end_step(const std::function<void(const train::FinishedEpisode&)>& finished) {
  require_here();
  require(in_step_, "no step to end");
  in_step_ = false;
  const std::span<const int> done = slots_.end_step(finished);
  if (done.empty()) return true;
  job_ = Job::kReset;
  pool_.start(group_, done);
  return false;
}

void HostLanes::work(int slot) {
  if (job_ == Job::kReset) {
    slots_.reset(slot);
    if (arrived_) arrived_(slot, slots_.state(slot).obs);
    return;
  }
  slots_.step(slot);
  if (arrived_) arrived_(slot, slots_.state(slot).next_obs);
  if (refuse_nonfinite_) slots_.refuse_nonfinite(slot, env_, step_);
}

void HostLanes::save(StateWriter& out) const {
  require_here();
  slots_.save(out);
}

void HostLanes::load(const StateReader& in, bool in_step) {
  require_here();
  slots_.load(in);
  in_step_ = in_step;
}

HostEvaluation::HostEvaluation(CorePool& pool, const std::string& name,
                               const rl::MakeEnvironment& make, int episodes, const Rng& stream)
    : pool_(pool),
      evaluation_(make, episodes, stream),
      group_(pool.add(name, "episode", episodes,
                      [this](int episode) { evaluation_.step(episode); })) {}

HostEvaluation::~HostEvaluation() {
  pool_.remove(group_);
}

void HostEvaluation::send() {
  require(!pool_.busy(group_), "the cores still have the evaluation's environments");
  evaluation_.take_actions();
  pool_.start(group_, evaluation_.playing());
}

}  // namespace tarl::fleet
