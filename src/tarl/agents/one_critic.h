// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include "tarl/agents/td_target.h"
#include "tarl/rl/agent.h"

namespace tarl::agents {

// The assessment of a batch by an agent with one critic, row by row.
class OneCritic {
 public:
  // The batch must outlive the assessment.
  void start(const rl::Batch& batch) {
    batch_ = &batch;
    for (auto* values : {&q_, &y_online_, &y_offline_, &abs_error_}) {
      values->resize(static_cast<std::size_t>(batch.rows));
    }
  }

  // The prediction for the action taken, and the value of the next observation under the online and
  // the target network.
  void set(int row, float q, float next_online, float next_offline) {
    const auto i = static_cast<std::size_t>(row);
    q_[i] = q;
    y_online_[i] = td_target(batch_->reward[i], batch_->discount[i], next_online);
    y_offline_[i] = td_target(batch_->reward[i], batch_->discount[i], next_offline);
    abs_error_[i] = std::fabs(y_offline_[i] - q);
  }

  const rl::Assessment& assessment() {
    return assessment_ = {batch_->rows, 1, q_, y_online_, y_offline_, abs_error_};
  }

  const rl::Batch& batch() const { return *batch_; }

  // y_offline - q: the error an update regresses on.
  float error(int row) const {
    const auto i = static_cast<std::size_t>(row);
    return y_offline_[i] - q_[i];
  }

 private:
  const rl::Batch* batch_ = nullptr;
  std::vector<float> q_, y_online_, y_offline_, abs_error_;
  rl::Assessment assessment_;
};

}  // namespace tarl::agents
