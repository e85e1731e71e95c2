// SPDX-License-Identifier: MIT
#include "tarl/inspect/candidates.h"

#include <algorithm>
#include <array>

#include "tarl/core/error.h"
#include "tarl/core/formats/number.h"
#include "tarl/inspect/reopened.h"
#include "tarl/report/text.h"
#include "tarl/store/run_files.h"
#include "tarl/train/run.h"

namespace tarl::inspect {

namespace {

constexpr std::int64_t kMoments = 16;      // per period of the target
constexpr std::int64_t kMostSights = 256;  // of the kept, and of the rejected
constexpr std::int64_t kLeastSights = 32;  // the same, if draws are few but large

std::int64_t shares_of(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

std::string action_text(const rl::Batch& batch, std::size_t row) {
  if (batch.action_size == 0) return std::to_string(batch.action_index[row]);
  std::string text;
  const auto size = static_cast<std::size_t>(batch.action_size);
  for (std::size_t i = 0; i < size; ++i) {
    text += (text.empty() ? "" : ", ") + report::fixed(batch.action[row * size + i], 2);
  }
  return text;
}

// Draws from one run, at one or several moments.
class CandidateDraws {
 public:
  CandidateDraws(Reopened& run, const Request& request, std::int64_t moments)
      : run_(run),
        batches_(shares_of(shares_of(request.rows, moments), run.candidates())),
        stride_(shares_of(moments * batches_, kMostSights)),
        each_(shares_of(kLeastSights, moments * batches_)),
        sample_rng_(seeded(static_cast<std::uint64_t>(request.seed)).fork("inspect/sample")),
        noise_rng_(seeded(static_cast<std::uint64_t>(request.seed)).fork("inspect/noise")) {}

  void draw(Candidates& out) {
    for (std::int64_t batch = 1; batch <= batches_; ++batch) {
      const std::size_t first = out.draws.kept.size();
      store::append(out.draws, run_.look(batch, sample_rng_, noise_rng_));
      if (drawn_++ % stride_ == 0) add_sights(first, out);
    }
  }

 private:
  // The first kept and the first rejected ones: draws are in random order.
  void add_sights(std::size_t first, Candidates& out) {
    const rl::Batch& batch = run_.learner().last_sample().batch;
    std::array<std::int64_t, 2> left = {each_, each_};
    for (std::size_t row = 0; first + row < out.draws.kept.size(); ++row) {
      if (left[out.draws.kept[first + row]]-- <= 0) continue;
      const auto part = [&](const std::vector<std::byte>& all) {
        const auto from = all.begin() + static_cast<std::ptrdiff_t>(row * batch.obs_bytes);
        return std::vector(from, from + static_cast<std::ptrdiff_t>(batch.obs_bytes));
      };
      out.sights.push_back(
          {first + row, action_text(batch, row), part(batch.obs), part(batch.next_obs)});
    }
  }

  Reopened& run_;
  const std::int64_t batches_;  // at each moment
  const std::int64_t stride_;   // between draws that yield sights
  const std::int64_t each_;     // sights per draw, of the kept and of the rejected each
  std::int64_t drawn_ = 0;
  Rng sample_rng_, noise_rng_;
};

// Evenly over one period from the checkpoint on, whatever the target's age is there.
void draw_period(Reopened& run, const Request& request, Candidates& out) {
  const std::int64_t begin = run.step(), steps = run.period_steps();
  const std::int64_t moments = std::min(kMoments, steps);
  if (request.notice) {
    request.notice("continuing the run in memory for " + std::to_string(steps) +
                   " steps, until the target is copied again");
  }
  CandidateDraws drawing(run, request, moments);
  for (std::int64_t moment = 0; moment < moments; ++moment) {
    const std::int64_t step = begin + moment * steps / moments;
    run.go_on([&] { return run.step() >= step && !run.target_moves_first(); });
    drawing.draw(out);
  }
}

void draw_at(Reopened& run, const Request& request, Candidates& out) {
  const std::int64_t lag = *request.since_sync, end = run.step() + 3 * run.period_steps();
  const auto is_there = [&] {
    return run.lag() >= lag && run.lag() < lag + run.updates_at_once() && !run.target_moves_first();
  };
  run.go_on([&] { return is_there() || run.step() >= end; });
  if (!is_there()) {
    throw UsageError("--steps-since-sync " + std::to_string(lag) +
                     ": no update of this run comes at that age of its target");
  }
  CandidateDraws(run, request, 1).draw(out);
}

void check_since_sync(const Reopened& run, const Request& request) {
  if (!request.since_sync) return;
  const std::string asked = "--steps-since-sync " + std::to_string(*request.since_sync);
  if (!run.copies_target()) {
    throw UsageError(asked + ": the target of this run is blended at every sync (tau = " +
                     format_number(run.config().tau) +
                     ") and has no age to choose; leave the option out");
  }
  if (*request.since_sync < 2 || *request.since_sync > run.period_updates()) {
    throw UsageError(asked + ": the target of this run is copied every " +
                     std::to_string(run.period_updates()) +
                     " updates, and the first one after a copy sees two equal networks; choose 2 "
                     "to " +
                     std::to_string(run.period_updates()));
  }
}

}  // namespace

Candidates draw_candidates(const Request& request) {
  Reopened run(request);
  check_since_sync(run, request);
  Candidates out;
  out.config = run.config();
  out.spec = run.spec();
  out.step = run.step();
  out.updates = run.learner().updates();
  out.target_lag = run.learner().target_lag();
  if (run.copies_target()) out.period = run.period_updates();
  if (request.since_sync) {
    draw_at(run, request, out);
  } else if (out.period) {
    draw_period(run, request, out);
  } else {
    CandidateDraws(run, request, 1).draw(out);
  }
  out.trained = run.step() - out.step;
  return out;
}

}  // namespace tarl::inspect
