// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "tarl/report/analysis/verdict.h"
#include "tarl/report/tables/tables.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

// The study's side of a published table.
struct Shared {
  std::vector<std::size_t> algorithms;
  std::vector<const PaperRow*> rows;  // of each algorithm
  std::vector<std::size_t> environments;
  std::vector<std::size_t> columns;       // of each environment
  std::vector<std::vector<double>> nauc;  // ours, [algorithm][environment]; NaN without runs
};

// nAUC of a cell with bounds over the algorithms of the published table alone.
std::vector<double> nauc_of(const Scene& scene, std::size_t environment, const Shared& shared) {
  const Analysis& numbers = scene.numbers();
  const statistics::Bounds bounds =
      bounds_of(*numbers.results, environment, shared.algorithms, nullptr);
  std::vector<double> out;
  for (const std::size_t a : shared.algorithms) {
    std::vector<double> by_seed;
    const Cell& cell = numbers.environments[environment].cells[a];
    for (const Curve& curve : cell.curves) {
      if (!cell.counts()) break;
      by_seed.push_back(statistics::nauc(numbers.environments[environment].counted(curve), bounds));
    }
    out.push_back(statistics::mean(by_seed));
  }
  return out;
}

Shared shared_with(const Scene& scene, const PaperTable& published) {
  Shared shared;
  for (const std::size_t a : scene.algorithms) {
    const PaperRow* row = paper_row(published, scene.numbers().algorithm(a));
    if (row == nullptr) continue;
    shared.algorithms.push_back(a);
    shared.rows.push_back(row);
  }
  for (std::size_t env = 0; env < scene.numbers().environments.size(); ++env) {
    const auto column = paper_column(published, scene.numbers().environments[env].name);
    if (!column) continue;
    shared.environments.push_back(env);
    shared.columns.push_back(*column);
  }
  shared.nauc.assign(shared.algorithms.size(), {});
  for (const std::size_t env : shared.environments) {
    const std::vector<double> column = nauc_of(scene, env, shared);
    for (std::size_t i = 0; i < column.size(); ++i) shared.nauc[i].push_back(column[i]);
  }
  return shared;
}

// How this study's size differs from the paper's.
std::string size_note(const Scene& scene, const PaperTable& published, const Shared& shared) {
  std::string note = concat({"Paper: ", published.protocol, ". This study: "});
  double steps = 0, paper_steps = 0;
  for (std::size_t i = 0; i < shared.environments.size(); ++i) {
    const auto& timesteps = scene.numbers().environments[shared.environments[i]].timesteps;
    if (timesteps.empty()) continue;
    steps = std::max(steps, timesteps.back());
    paper_steps = std::max(paper_steps, published.steps[shared.columns[i]]);
  }
  note += concat({short_count(steps), " steps, ", seeds_text(scene.numbers()), "."});
  if (steps < 0.9 * paper_steps) {
    note += concat({" These runs are shorter (", fixed(100 * steps / paper_steps, 1),
                    " % of the paper's steps): the numbers are not a reproduction."});
  }
  return note;
}

bool shares_enough(const Shared& shared) {
  return shared.algorithms.size() >= 2 && !shared.environments.empty();
}

// Published tables that share two algorithms and an environment with the runs, except those whose
// overlap is part of another's.
std::vector<const PaperTable*> guessed_tables(const Scene& scene) {
  std::vector<const PaperTable*> shared_with_us;
  std::vector<std::vector<std::size_t>> shares;
  for (const PaperTable& published : paper_tables()) {
    if (!shares_enough(shared_with(scene, published))) continue;
    shared_with_us.push_back(&published);
    shares.push_back(shared_with(scene, published).algorithms);
  }
  std::vector<const PaperTable*> out;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const bool part = std::any_of(shares.begin(), shares.end(), [&](const auto& other) {
      return other.size() > shares[i].size() &&
             std::includes(other.begin(), other.end(), shares[i].begin(), shares[i].end());
    });
    if (!part) out.push_back(shared_with_us[i]);
  }
  return out;
}

}  // namespace

std::vector<const PaperTable*> covered_tables(const Scene& scene,
                                              std::vector<study::Problem>& problems) {
  const auto& covers = scene.numbers().results->covers;
  if (!covers) return guessed_tables(scene);
  std::vector<const PaperTable*> out;
  for (const PaperTable& published : paper_tables()) {
    const std::string name = concat({"Table ", std::to_string(published.number)});
    if (std::find(covers->begin(), covers->end(), name) == covers->end()) continue;
    if (shares_enough(shared_with(scene, published))) {
      out.push_back(&published);
    } else {
      problems.push_back({concat({name, " of the paper"}),
                          "the study covers it, and it cannot be drawn: it needs two of its rows "
                          "with runs in one of its environments",
                          study::ProblemKind::kNotDrawn});
    }
  }
  return out;
}

Table paper_table(const Scene& scene, const PaperTable& published) {
  const Shared shared = shared_with(scene, published);
  Table table;
  table.id = published.id;
  table.title = concat({published.title, ": nAUC, ours and the paper's"});
  table.note = concat({size_note(scene, published, shared),
                       " nAUC depends on who else is in the table (R_max): compare order and "
                       "gains, not the values. Ours is normalised over the rows shown."});
  table.header = {"algorithm"};
  for (const std::size_t env : shared.environments) {
    table.header.push_back(scene.numbers().environments[env].title);
  }
  for (std::size_t i = 0; i < shared.algorithms.size(); ++i) {
    table.rows.push_back(
        {{scene.numbers().label(shared.algorithms[i]), shared.rows[i]->label, false}});
    for (std::size_t e = 0; e < shared.environments.size(); ++e) {
      const double published_value = shared.rows[i]->nauc[shared.columns[e]];
      table.rows.back().push_back(
          {fixed(shared.nauc[i][e], 3), concat({"paper ", fixed(published_value, 3)}), false});
    }
  }
  return table;
}

Table paper_gains_table(const Scene& scene, const PaperTable& published) {
  const Shared shared = shared_with(scene, published);
  Table table;
  table.id = concat({published.id, "-gains"});
  table.title = concat({published.title, ": gain in nAUC, ours and the paper's"});
  table.header = {"comparison"};
  for (const std::size_t env : shared.environments) {
    table.header.push_back(scene.numbers().environments[env].title);
  }
  const bool with_mean = shared.environments.size() > 1;
  if (with_mean) table.header.push_back("mean ± SD");
  for (std::size_t i = 0; i < shared.algorithms.size(); ++i) {
    const auto reference = scene.numbers().algorithm(shared.algorithms[i]).reference;
    if (!reference || shared.rows[i]->margin == 0) continue;
    const auto at = std::find(shared.algorithms.begin(), shared.algorithms.end(), *reference);
    if (at == shared.algorithms.end()) continue;
    const auto b = static_cast<std::size_t>(at - shared.algorithms.begin());
    table.rows.push_back({{concat({scene.numbers().label(shared.algorithms[i]), " vs ",
                                   scene.numbers().label(*reference)}),
                           "", false}});
    std::vector<double> ours, theirs;
    for (std::size_t e = 0; e < shared.environments.size(); ++e) {
      const auto gain = [](double before, double after) {
        return statistics::gain_percent(before, after, before);
      };
      const std::size_t column = shared.columns[e];
      ours.push_back(gain(shared.nauc[b][e], shared.nauc[i][e]));
      theirs.push_back(gain(shared.rows[b]->nauc[column], shared.rows[i]->nauc[column]));
      table.rows.back().push_back(
          {percent(ours.back()), concat({"paper ", percent(theirs.back())}), false});
    }
    if (!with_mean) continue;
    const auto summary = [](std::vector<double> gains) {
      std::erase_if(gains, [](double gain) { return !std::isfinite(gain); });
      return concat(
          {percent(statistics::mean(gains)), " ± ", fixed(statistics::population_sd(gains), 1)});
    };
    table.rows.back().push_back({summary(ours), concat({"paper ", summary(theirs)}), false});
  }
  table.note =
      "Percent of the baseline's nAUC; the paper's gains are recomputed from its rounded "
      "table for the environments shown. SD: population, over environments.";
  return table;
}

}  // namespace tarl::report
