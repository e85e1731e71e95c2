// SPDX-License-Identifier: MIT
#include "tarl/study/results/results.h"

#include <algorithm>
#include <set>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"

namespace tarl::study {

namespace {

using Grid = std::vector<std::int64_t>;

// study.json; the folder's name where it says nothing.
struct StudyNotes {
  Naming naming;
  std::vector<std::string> runs;
};

StudyNotes read_notes(Results& results) {
  StudyNotes notes;
  results.study = fs::weakly_canonical(results.folder).filename().string();
  const fs::path file = results.folder / "study.json";
  if (!fs::exists(file)) return notes;
  try {
    const auto json = parse_json(read_text(file));
    results.study = json.value("name", results.study);
    results.title = json.value("title", "");
    results.question = json.value("question", "");
    notes.naming.labels = json.value("labels", notes.naming.labels);
    notes.naming.against = json.value("against", notes.naming.against);
    notes.runs = json.value("runs", notes.runs);
  } catch (const Json::exception& problem) {
    results.problems.push_back({"study.json", problem.what()});
  }
  return notes;
}

void add_problem(Results& results, const Run& run, std::string what) {
  results.problems.push_back({run.folder.string(), std::move(what)});
}

// Runs with readable settings; the others become problems.
void read_runs(Results& results) {
  std::vector<PassedOver> passed_over;
  const std::vector<fs::path> folders = find_run_folders(results.folder, &passed_over);
  for (const PassedOver& one : passed_over) {
    results.problems.push_back({one.path.lexically_relative(results.folder).string(), one.why});
  }
  for (const fs::path& folder : folders) {
    Run run = read_run(results.folder, folder);
    for (const std::string& damage : run.damage) add_problem(results, run, "cannot read " + damage);
    if (run.env.empty() || run.algo.empty()) continue;
    results.runs.push_back(std::move(run));
  }
}

// Positions of the runs by the name of their environment.
using RunsByEnvironment = std::map<std::string, std::vector<std::size_t>>;

RunsByEnvironment runs_by_environment(const Results& results) {
  RunsByEnvironment runs;
  for (std::size_t i = 0; i < results.runs.size(); ++i) runs[results.runs[i].env].push_back(i);
  return runs;
}

Baseline lowest_score(const Results& results, const std::vector<std::size_t>& runs) {
  Baseline baseline{0, 0, "no random baseline known: lowest score of any evaluation", false};
  bool found = false;
  for (const std::size_t run : runs) {
    for (const double score : results.runs[run].scores) {
      if (!found || score < baseline.mean) baseline.mean = score;
      found = true;
    }
  }
  return baseline;
}

void add_environments(Results& results, const RunsByEnvironment& runs) {
  std::map<std::string, Baseline> measured;
  try {
    measured = read_baselines(results.folder / "baselines.json");
  } catch (const Error& problem) {
    results.problems.push_back({"baselines.json", problem.what()});
  }
  for (const auto& [name, positions] : runs) {
    const auto found = measured.find(environment_key(name));
    const auto built_in = built_in_baseline(name);
    const Baseline baseline = found != measured.end() ? found->second
                              : built_in              ? *built_in
                                                      : lowest_score(results, positions);
    results.environments.push_back({name, {}, baseline});
  }
}

bool starts_with(const Grid& grid, const Grid& prefix) {
  return grid.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), grid.begin());
}

// The evaluation steps most runs share; of equally common ones the longest.
Grid common_grid(const Results& results, const std::vector<std::size_t>& runs) {
  std::map<Grid, int> votes;
  for (const std::size_t run : runs) ++votes[results.runs[run].timesteps];
  const auto most = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first.size()) < std::pair(b.second, b.first.size());
  });
  return most == votes.end() ? Grid{} : most->first;
}

// The steps of the run with the fewest evaluations.
Grid shortest_grid(const Results& results, const std::vector<std::size_t>& runs) {
  const auto shortest =
      std::min_element(runs.begin(), runs.end(), [&](std::size_t a, std::size_t b) {
        return results.runs[a].scores.size() < results.runs[b].scores.size();
      });
  return shortest == runs.end() ? Grid{} : results.runs[*shortest].timesteps;
}

std::string state_of(const Run& run) {
  std::string text = run.status ? name_of(*run.status) : "state unknown";
  text.append(", ").append(std::to_string(run.scores.size()));
  if (run.expected_evaluations > 0) {
    text.append(" of ").append(std::to_string(run.expected_evaluations));
  }
  text += " evaluations";
  const auto error = run.info.find("error");
  if (error != run.info.end() && !error->second.empty()) text.append(": ").append(error->second);
  return text;
}

// Whether a run has anything to tabulate; says why not.
bool is_candidate(Results& results, std::size_t at, bool unfinished_too) {
  const Run& run = results.runs[at];
  if (run.complete()) return true;
  const bool failed = run.status == store::RunStatus::kFailed;
  const bool usable = unfinished_too && !run.scores.empty() && !failed;
  add_problem(results, run,
              (failed ? "failed (" : "unfinished (") + state_of(run) +
                  (usable ? "); counted as far as it got" : "); not in the tables"));
  return usable;
}

// Puts the runs of one environment into their cells, all cut to one grid of evaluations.
void fill_cells(Results& results, std::size_t env, const std::vector<std::size_t>& runs,
                const std::vector<std::size_t>& of_run, bool unfinished_too) {
  Environment& environment = results.environments[env];
  std::vector<std::size_t> candidates;
  for (const std::size_t i : runs) {
    if (is_candidate(results, i, unfinished_too)) candidates.push_back(i);
  }
  environment.timesteps =
      unfinished_too ? shortest_grid(results, candidates) : common_grid(results, candidates);
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
    return results.runs[a].seed < results.runs[b].seed;
  });
  for (const std::size_t at : candidates) {
    Run& run = results.runs[at];
    auto& cell = results.cells[env][of_run[at]];
    if (!starts_with(run.timesteps, environment.timesteps) ||
        (!unfinished_too && run.timesteps != environment.timesteps)) {
      add_problem(
          results, run,
          "evaluated at other steps than most runs of " + environment.name + "; not in the tables");
    } else if (!cell.empty() && results.runs[cell.back()].seed == run.seed) {
      add_problem(results, run,
                  "same environment, algorithm and seed as " +
                      results.runs[cell.back()].folder.string() + "; not in the tables");
    } else {
      run.scores.resize(environment.timesteps.size());
      run.returns.resize(environment.timesteps.size());
      run.timesteps.resize(environment.timesteps.size());
      cell.push_back(at);
    }
  }
}

// Runs the study planned and that nobody has begun.
void add_not_begun(Results& results, const std::vector<std::string>& planned) {
  std::set<fs::path> found;
  for (const Run& run : results.runs) found.insert(run.folder);
  for (const std::string& folder : planned) {
    if (!found.contains(fs::path(folder))) results.problems.push_back({folder, "missing"});
  }
}

// Without a plan: seeds that some algorithm has and this one has no folder for.
void add_missing(Results& results, const std::vector<std::size_t>& of_run) {
  std::set<std::int64_t> seeds;
  std::map<std::pair<std::string, std::size_t>, std::set<std::int64_t>> present;
  for (std::size_t i = 0; i < results.runs.size(); ++i) {
    const Run& run = results.runs[i];
    seeds.insert(run.seed);
    present[{run.env, of_run[i]}].insert(run.seed);
  }
  for (const Environment& environment : results.environments) {
    for (std::size_t a = 0; a < results.algorithms.size(); ++a) {
      std::set<std::int64_t> absent = seeds;
      for (const std::int64_t seed : present[{environment.name, a}]) absent.erase(seed);
      const std::string where = environment.name + " / " + results.algorithms[a].label;
      if (absent.size() == seeds.size()) {
        results.problems.push_back({where, "missing: no run of this algorithm here"});
        continue;
      }
      for (const std::int64_t seed : absent) {
        results.problems.push_back({where + " / seed " + std::to_string(seed), "missing"});
      }
    }
  }
}

}  // namespace

Results read_results(const fs::path& folder, const ReadOptions& options) {
  Results results;
  results.folder = folder;
  const StudyNotes notes = read_notes(results);
  read_runs(results);
  const RunsByEnvironment runs = runs_by_environment(results);
  add_environments(results, runs);
  Labelled labelled = label_runs(results.runs, notes.naming);
  results.algorithms = std::move(labelled.algorithms);
  results.cells.assign(results.environments.size(), {});
  for (auto& row : results.cells) row.resize(results.algorithms.size());
  results.partial = std::none_of(results.runs.begin(), results.runs.end(),
                                 [](const Run& run) { return run.complete(); });
  for (std::size_t env = 0; env < results.environments.size(); ++env) {
    fill_cells(results, env, runs.at(results.environments[env].name), labelled.of_run,
               results.partial || options.include_unfinished);
  }
  if (notes.runs.empty()) {
    add_missing(results, labelled.of_run);
  } else {
    add_not_begun(results, notes.runs);
  }
  return results;
}

}  // namespace tarl::study
