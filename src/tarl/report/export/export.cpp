// SPDX-License-Identifier: MIT
#include "tarl/report/export/export.h"

#include <map>

#include "tarl/core/formats/npz.h"
#include "tarl/core/formats/number.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

// Calls visit(environment, algorithm, cell) for every cell with runs.
template <class Visit>
void for_each_cell(const Scene& scene, Visit visit) {
  for (std::size_t env = 0; env < scene.numbers().environments.size(); ++env) {
    for (const std::size_t a : scene.algorithms) {
      const Cell& cell = scene.numbers().environments[env].cells[a];
      if (!cell.empty()) visit(env, a, cell);
    }
  }
}

std::string row(std::initializer_list<std::string> fields) {
  std::string out;
  for (const std::string& field : fields) {
    if (!out.empty()) out += ',';
    out += csv_field(field);
  }
  return out + '\n';
}

// The seeds that an algorithm has in every environment where it has runs.
struct RunMatrix {
  std::vector<std::int64_t> seeds;
  std::vector<std::size_t> environments;
  std::vector<std::map<std::int64_t, std::size_t>> positions;  // of a seed in its cell
};

std::map<std::int64_t, std::size_t> positions_of(const std::vector<std::int64_t>& seeds) {
  std::map<std::int64_t, std::size_t> positions;
  for (std::size_t i = 0; i < seeds.size(); ++i) positions.emplace(seeds[i], i);
  return positions;
}

RunMatrix run_matrix(const Scene& scene, std::size_t algorithm) {
  RunMatrix matrix;
  for (std::size_t env = 0; env < scene.numbers().environments.size(); ++env) {
    const EnvironmentAnalysis& environment = scene.numbers().environments[env];
    const Cell& cell = environment.cells[algorithm];
    if (!cell.counts() || !environment.bounds.usable()) continue;
    if (matrix.environments.empty()) matrix.seeds = cell.seeds;
    matrix.environments.push_back(env);
    matrix.positions.push_back(positions_of(cell.seeds));
    std::erase_if(matrix.seeds,
                  [&](std::int64_t seed) { return !matrix.positions.back().contains(seed); });
  }
  return matrix;
}

Tensor score_array(const Scene& scene, std::size_t algorithm, const RunMatrix& matrix,
                   bool final_scores) {
  std::vector<double> values;
  for (const std::int64_t seed : matrix.seeds) {
    for (std::size_t i = 0; i < matrix.environments.size(); ++i) {
      const Cell& cell = scene.numbers().environments[matrix.environments[i]].cells[algorithm];
      const auto& scores = final_scores ? cell.final_normalised : cell.measures[kNauc].by_seed;
      values.push_back(scores[matrix.positions[i].at(seed)]);
    }
  }
  return Tensor::of(std::span<const double>(values),
                    {static_cast<std::int64_t>(matrix.seeds.size()),
                     static_cast<std::int64_t>(matrix.environments.size())});
}

std::string matrix_json(const Scene& scene, std::size_t algorithm, const RunMatrix& matrix) {
  std::string seeds, tasks;
  for (const std::int64_t seed : matrix.seeds) {
    seeds += concat({seeds.empty() ? "" : ",", std::to_string(seed)});
  }
  for (const std::size_t env : matrix.environments) {
    tasks +=
        concat({tasks.empty() ? "" : ",", json_string(scene.numbers().environments[env].name)});
  }
  return concat({json_string(scene.numbers().label(algorithm)), ":{\"seeds\":[", seeds,
                 "],\"tasks\":[", tasks, "]}"});
}

}  // namespace

std::string runs_csv(const Scene& scene) {
  std::string out = "environment,algorithm,seed,nauc,raw_auc,final,peak,final_normalised,updates\n";
  for_each_cell(scene, [&](std::size_t env, std::size_t a, const Cell& cell) {
    for (std::size_t i = 0; i < cell.seeds.size(); ++i) {
      out += row({scene.numbers().environments[env].name, scene.numbers().label(a),
                  std::to_string(cell.seeds[i]), format_number(cell.measures[kNauc].by_seed[i]),
                  format_number(cell.measures[kArea].by_seed[i]),
                  format_number(cell.measures[kFinal].by_seed[i]),
                  format_number(cell.measures[kPeak].by_seed[i]),
                  format_number(cell.final_normalised[i]), cell.untrained ? "no" : "yes"});
    }
  });
  return out;
}

std::string curves_csv(const Scene& scene) {
  std::string out = "environment,algorithm,seed,timestep,score\n";
  for_each_cell(scene, [&](std::size_t env, std::size_t a, const Cell& cell) {
    const EnvironmentAnalysis& environment = scene.numbers().environments[env];
    for (std::size_t i = 0; i < cell.seeds.size(); ++i) {
      for (std::size_t t = 0; t < cell.curves[i].size(); ++t) {
        out += row({environment.name, scene.numbers().label(a), std::to_string(cell.seeds[i]),
                    format_number(environment.timesteps[t]), format_number(cell.curves[i][t])});
      }
    }
  });
  return out;
}

std::string summary_csv(const Scene& scene) {
  std::string out = "environment,algorithm,metric,seeds,mean,population_sd,ci_low,ci_high\n";
  for_each_cell(scene, [&](std::size_t env, std::size_t a, const Cell& cell) {
    for (const Metric metric : kMetrics) {
      const Measure& measure = cell.measures[metric];
      out += row({scene.numbers().environments[env].name, scene.numbers().label(a),
                  metric_name(metric), std::to_string(cell.seeds.size()),
                  format_number(measure.mean), format_number(measure.sd),
                  format_number(measure.ci.low), format_number(measure.ci.high)});
    }
  });
  return out;
}

std::string aggregates_csv(const Scene& scene) {
  std::string out = "algorithm,metric,statistic,environments,value,ci_low,ci_high\n";
  const Analysis& numbers = scene.numbers();
  for (const std::size_t a : scene.algorithms) {
    for (const auto& [metric, all] :
         {std::pair{kNauc, &numbers.nauc[a]}, std::pair{kFinal, &numbers.final_score[a]}}) {
      for (const auto& [name, one] :
           {std::pair{"IQM", &all->iqm}, std::pair{"mean", &all->mean},
            std::pair{"median", &all->median}, std::pair{"optimality gap", &all->optimality_gap}}) {
        out += row({numbers.label(a), metric_name(metric), name, std::to_string(all->environments),
                    format_number(one->value), format_number(one->ci.low),
                    format_number(one->ci.high)});
      }
    }
  }
  return out;
}

void write_score_arrays(const Scene& scene, const fs::path& folder) {
  std::vector<NamedTensor> scores, naucs;
  std::string notes;
  for (const std::size_t a : scene.algorithms) {
    const RunMatrix matrix = run_matrix(scene, a);
    if (matrix.seeds.empty()) continue;
    scores.emplace_back(scene.numbers().label(a), score_array(scene, a, matrix, true));
    naucs.emplace_back(scene.numbers().label(a), score_array(scene, a, matrix, false));
    notes += concat({notes.empty() ? "" : ",\n", matrix_json(scene, a, matrix)});
  }
  save_npz(folder / "scores.npz", scores);
  save_npz(folder / "nauc.npz", naucs);
  write_file_durably(folder / "scores.json", concat({"{", notes, "}\n"}));
}

}  // namespace tarl::report
