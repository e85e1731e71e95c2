// SPDX-License-Identifier: MIT
#include "tarl/study/results/results.h"

#include <algorithm>
#include <map>
#include <set>

#include "tarl/core/error.h"
#include "tarl/study/results/cells.h"
#include "tarl/study/results/packed.h"

namespace tarl::study {

namespace {

// Opens the folders; a study whose file cannot be read is read like any other folder.
void open_sources(Results& results, const std::vector<fs::path>& folders,
                  const std::vector<std::string>& labels) {
  for (std::size_t i = 0; i < folders.size(); ++i) {
    Source source;
    source.path = folders[i];
    try {
      source = open_source(folders[i]);
    } catch (const Error& problem) {
      results.problems.push_back({folders[i].string(), problem.what(), ProblemKind::kDamaged});
    }
    if (i < labels.size()) source.label = labels[i];
    results.sources.push_back(std::move(source));
  }
  name_sources(results.sources);
}

// The study's own text; with several folders, one after another.
void take_words(Results& results) {
  const bool alone = results.sources.size() == 1;
  std::set<std::string> named_already;
  for (const Source& source : results.sources) {
    const bool named = source.study && !source.study->name.empty() && alone;
    const std::string& name = named ? source.study->name : source.name;
    if (named_already.insert(source.name).second) {
      results.study.append(results.study.empty() ? "" : ", ").append(name);
    }
    if (!source.study) continue;
    if (alone) {
      results.title = source.study->title;
      results.question = source.study->question;
    }
    if (!results.covers) results.covers.emplace();
    for (const std::string& what : source.study->covers) {
      const auto end = results.covers->end();
      if (std::find(results.covers->begin(), end, what) == end) results.covers->push_back(what);
    }
  }
}

// The name of a folder found below a source, with one source or several.
fs::path shown_folder(const Results& results, const Source& source, const fs::path& path) {
  if (results.sources.size() == 1) return path.lexically_relative(source.path);
  return path.lexically_normal();
}

// The runs of packed studies among the sources.
void take_packed_runs(Results& results) {
  std::set<fs::path> taken;
  for (std::size_t i = 0; i < results.sources.size(); ++i) {
    const Source& source = results.sources[i];
    if (!is_packed(source.path) || !taken.insert(fs::canonical(source.path)).second) continue;
    for (Run& run : read_packed(source.path)) {
      run.source = i;
      run.folder = shown_folder(results, source, source.path / run.below_source);
      results.runs.push_back(std::move(run));
    }
  }
}

// Runs with readable settings; the others become problems.
void read_runs(Results& results) {
  take_packed_runs(results);
  std::vector<fs::path> roots;
  for (const Source& source : results.sources) roots.push_back(source.path);
  std::vector<PassedOver> passed_over;
  const std::vector<FoundRun> found = find_run_folders(roots, &passed_over);
  for (const PassedOver& one : passed_over) {
    results.problems.push_back({shown_folder(results, results.sources.front(), one.path).string(),
                                one.why, ProblemKind::kLeftOut});
  }
  for (const FoundRun& one : found) {
    const Source& source = results.sources[one.root];
    Run run = read_run(source.path, one.path);
    run.source = one.root;
    run.folder = shown_folder(results, source, one.path);
    for (const std::string& damage : run.damage) {
      results.problems.push_back(
          {run.folder.string(), "cannot read " + damage, ProblemKind::kDamaged});
    }
    if (!run.env.empty() && !run.algo.empty()) results.runs.push_back(std::move(run));
  }
}

// The lowest score of a run that had learned, or of any run if none had.
RandomScore lowest_score(const Results& results, const std::string& env) {
  RandomScore lowest{0, 0, "no random baseline known: lowest score of any evaluation", false};
  for (const bool untrained_too : {false, true}) {
    bool found = false;
    for (const Run& run : results.runs) {
      if (run.env != env) continue;
      for (std::size_t t = 0; t < run.mean_returns.size(); ++t) {
        if (!untrained_too && !run.trained_at(run.timesteps[t])) continue;
        if (!found || run.mean_returns[t] < lowest.mean) lowest.mean = run.mean_returns[t];
        found = true;
      }
    }
    if (found) break;
  }
  return lowest;
}

// What the sources have measured; the first if two measured the same environment.
std::map<std::string, RandomScore> measured_random_scores(Results& results) {
  std::map<std::string, RandomScore> measured;
  for (const Source& source : results.sources) {
    const fs::path file = source.path / kRandomScoresFile;
    try {
      measured.merge(read_random_scores(file));
    } catch (const Error& problem) {
      results.problems.push_back(
          {shown_folder(results, source, file).string(), problem.what(), ProblemKind::kDamaged});
    }
  }
  return measured;
}

void add_environments(Results& results) {
  const std::map<std::string, RandomScore> measured = measured_random_scores(results);
  std::set<std::string> names;
  for (const Run& run : results.runs) names.insert(run.env);
  for (const std::string& name : names) {
    const auto found = measured.find(environment_key(name));
    const auto built_in = built_in_random_score(name);
    Environment environment;
    environment.name = name;
    environment.random_score = found != measured.end() ? found->second
                               : built_in              ? *built_in
                                                       : lowest_score(results, name);
    results.environments.push_back(std::move(environment));
  }
}

// Planned runs of a study that have not begun.
void add_not_begun(Results& results, std::size_t source) {
  std::set<std::string> found;
  for (const Run& run : results.runs) {
    if (run.source == source) found.insert(run.below_source.string());
  }
  for (const std::string& folder : results.sources[source].planned()) {
    if (found.contains(folder)) continue;
    const fs::path path = results.sources[source].path / folder;
    results.problems.push_back({shown_folder(results, results.sources[source], path).string(),
                                "missing", ProblemKind::kMissing});
  }
}

using Seeds = std::set<std::int64_t>;

bool share_one(const Seeds& a, const Seeds& b) {
  return std::any_of(a.begin(), a.end(), [&](std::int64_t seed) { return b.contains(seed); });
}

// Without a plan: seeds that a condition lacks but another has, with which it shares some.
// Conditions that share none are not meant as pairs; runs without an update are in no comparison.
void add_missing_seeds(Results& results, const std::vector<std::size_t>& of_run) {
  std::map<std::string, std::map<std::size_t, Seeds>> present;  // by environment and condition
  for (std::size_t i = 0; i < results.runs.size(); ++i) {
    const Run& run = results.runs[i];
    const bool planned = results.sources[run.source].study.has_value();
    const bool untrained = !run.timesteps.empty() && !run.trained();
    if (!planned && !untrained) present[run.env][of_run[i]].insert(run.seed);
  }
  for (const auto& [env, conditions] : present) {
    for (const auto& [algorithm, mine] : conditions) {
      Seeds wanted;
      for (const auto& [other, seeds] : conditions) {
        if (share_one(mine, seeds)) wanted.insert(seeds.begin(), seeds.end());
      }
      for (const std::int64_t seed : wanted) {
        if (mine.contains(seed)) continue;
        results.problems.push_back(
            {env + " / " + results.algorithms[algorithm].label + " / seed " + std::to_string(seed),
             "missing", ProblemKind::kMissing});
      }
    }
  }
}

}  // namespace

Results read_results(const std::vector<fs::path>& folders, const ReadOptions& options) {
  Results results;
  open_sources(results, folders, options.labels);
  take_words(results);
  read_runs(results);
  add_environments(results);
  Labelled labelled = label_runs(results.runs, results.sources);
  results.algorithms = std::move(labelled.algorithms);
  for (const std::string& remark : labelled.remarks) {
    results.problems.push_back({"runs", remark, ProblemKind::kNote});
  }
  results.partial = std::none_of(results.runs.begin(), results.runs.end(),
                                 [](const Run& run) { return run.complete(); });
  fill_cells(results, labelled.of_run, results.partial || options.include_unfinished);
  for (std::size_t i = 0; i < results.sources.size(); ++i) add_not_begun(results, i);
  add_missing_seeds(results, labelled.of_run);
  return results;
}

Results read_results(const fs::path& folder, const ReadOptions& options) {
  return read_results(std::vector{folder}, options);
}

}  // namespace tarl::study
