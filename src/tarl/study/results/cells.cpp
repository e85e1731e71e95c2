// SPDX-License-Identifier: MIT
#include "tarl/study/results/cells.h"

#include <algorithm>

#include "tarl/core/formats/number.h"
#include "tarl/study/results/common_steps.h"

namespace tarl::study {

namespace {

using Positions = std::vector<std::size_t>;

void tell(Results& results, const Run& run, std::string what, ProblemKind kind) {
  results.problems.push_back({run.folder.string(), std::move(what), kind});
}

std::string state_of(const Run& run) {
  std::string text = run.status ? name_of(*run.status) : "state unknown";
  text.append(", ").append(std::to_string(run.mean_returns.size()));
  if (run.expected_evaluations > 0) {
    text.append(" of ").append(std::to_string(run.expected_evaluations));
  }
  text += " evaluations";
  const auto error = run.info.find("error");
  if (error != run.info.end() && !error->second.empty()) text.append(": ").append(error->second);
  return text;
}

bool has_damaged_evaluations(const Run& run) {
  return run.mean_returns.empty() && !run.damage.empty();
}

// Whether a run has anything to tabulate; reports why not.
bool is_candidate(Results& results, const Run& run, bool unfinished_too) {
  if (run.complete()) return true;
  const bool failed = run.status == store::RunStatus::kFailed;
  if (unfinished_too && !run.mean_returns.empty() && !failed) return true;
  if (has_damaged_evaluations(run)) return false;  // reported as damage
  tell(results, run,
       std::string(failed ? "failed (" : "unfinished (") + state_of(run) + "); not in the tables",
       failed ? ProblemKind::kFailed : ProblemKind::kUnfinished);
  return false;
}

// How runs with different evaluation steps were made comparable.
std::string sharing_text(const Environment& environment, const CommonSteps& common,
                         const Run& shortest) {
  std::string text;
  if (common.grids < 2 || environment.timesteps.empty()) return text;
  const std::int64_t last = environment.timesteps.back();
  text = std::to_string(common.grids) + " different sequences of evaluation steps, interpolated " +
         "linearly to the coarsest (" + plural(environment.timesteps.size(), "evaluation") +
         " to step " + std::to_string(last) + ")";
  if (last < common.longest) {
    text += "; the longest run has " + std::to_string(common.longest) +
            " steps, what comes after step " + std::to_string(last) +
            " is not compared because the run " + shortest.folder.string() + " ends there";
  }
  return text;
}

// The first position of the steps at which one of the runs has learned.
std::size_t first_trained(const Results& results, const Positions& runs,
                          const std::vector<std::int64_t>& steps) {
  std::size_t first = steps.size();
  for (const std::size_t at : runs) {
    const auto begin = std::find_if(steps.begin(), steps.end(), [&](std::int64_t step) {
      return results.runs[at].trained_at(step);
    });
    if (!results.runs[at].trained()) continue;
    first = std::min(first, static_cast<std::size_t>(begin - steps.begin()));
  }
  return first;
}

class CellFiller {
 public:
  CellFiller(Results& results, std::size_t env, const Positions& of_run, bool unfinished_too)
      : results_(results), env_(env), of_run_(of_run), unfinished_too_(unfinished_too) {}

  void fill() {
    find_candidates();
    share_steps();
    for (const bool trained : {true, false}) {
      for (const std::size_t at : candidates_) {
        if (results_.runs[at].trained() == trained) place(at);
      }
    }
  }

 private:
  void find_candidates() {
    for (std::size_t at = 0; at < results_.runs.size(); ++at) {
      const Run& run = results_.runs[at];
      if (run.env == environment().name && is_candidate(results_, run, unfinished_too_)) {
        candidates_.push_back(at);
      }
    }
    std::stable_sort(candidates_.begin(), candidates_.end(), [&](std::size_t a, std::size_t b) {
      return results_.runs[a].seed < results_.runs[b].seed;
    });
  }

  void share_steps() {
    std::vector<const Run*> runs;
    for (const std::size_t at : candidates_) runs.push_back(&results_.runs[at]);
    const CommonSteps common = common_steps(runs);
    environment().timesteps = common.timesteps;
    if (!runs.empty()) {
      environment().sharing = sharing_text(environment(), common, *runs[common.shortest]);
    }
    Positions kept;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const auto& out = common.left_out;
      if (std::find(out.begin(), out.end(), i) == out.end()) {
        kept.push_back(candidates_[i]);
      } else {
        tell(results_, *runs[i],
             "ends before longer runs of " + environment().name +
                 " have an evaluation; not in the tables",
             ProblemKind::kLeftOut);
      }
    }
    candidates_ = std::move(kept);
    environment().first_trained = first_trained(results_, candidates_, environment().timesteps);
  }

  void place(std::size_t at) {
    Run& run = results_.runs[at];
    Positions& cell = results_.cells[env_][of_run_[at]];
    const auto same_seed = std::find_if(cell.begin(), cell.end(), [&](std::size_t other) {
      return results_.runs[other].seed == run.seed;
    });
    if (same_seed != cell.end()) {
      tell(results_, run,
           "same environment, condition and seed as " + results_.runs[*same_seed].folder.string() +
               "; not in the tables",
           ProblemKind::kLeftOut);
      return;
    }
    const bool among_trained = !cell.empty() && results_.runs[cell.front()].trained();
    if (!run.trained()) {
      tell(results_, run,
           "made no update: the first would come at step " + std::to_string(run.first_update) +
               ", its last evaluation is at step " + std::to_string(run.timesteps.back()) +
               (among_trained ? "; not in the tables" : "; marked, and in no comparison"),
           ProblemKind::kUntrained);
      if (among_trained) return;
    } else if (!run.complete()) {
      tell(results_, run, "unfinished (" + state_of(run) + "); counted as far as it got",
           ProblemKind::kUnfinished);
    }
    run.curve = scores_at(run, environment().timesteps);
    cell.push_back(at);
  }

  Environment& environment() { return results_.environments[env_]; }

  Results& results_;
  std::size_t env_;
  const Positions& of_run_;
  bool unfinished_too_;
  Positions candidates_;
};

}  // namespace

void fill_cells(Results& results, const std::vector<std::size_t>& of_run, bool unfinished_too) {
  results.cells.assign(results.environments.size(), {});
  for (auto& row : results.cells) row.resize(results.algorithms.size());
  for (std::size_t env = 0; env < results.environments.size(); ++env) {
    CellFiller(results, env, of_run, unfinished_too).fill();
    for (auto& cell : results.cells[env]) {
      std::stable_sort(cell.begin(), cell.end(), [&](std::size_t a, std::size_t b) {
        return results.runs[a].seed < results.runs[b].seed;
      });
    }
  }
}

}  // namespace tarl::study
