// SPDX-License-Identifier: MIT
#include "tarl/store/evaluations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "tarl/core/error.h"
#include "tarl/core/formats/npz.h"

namespace tarl::store {

namespace {

constexpr const char* kTimesteps = "timesteps";
constexpr const char* kReturns = "results";
constexpr const char* kLengths = "ep_lengths";

const Tensor& find(const std::vector<NamedTensor>& arrays, const char* name) {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const auto& it) { return it.first == name; });
  if (found == arrays.end()) throw Error(std::string("holds no array '") + name + "'");
  return found->second;
}

}  // namespace

double mean_of(std::span<const double> returns) {
  return std::accumulate(returns.begin(), returns.end(), 0.0) / static_cast<double>(returns.size());
}

double best_mean(const Evaluations& evaluations) {
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t at = 0; at < evaluations.count(); ++at) {
    const double mean = mean_of(evaluations.returns_of(at));
    if (mean > best) best = mean;
  }
  return best;
}

void save(const Evaluations& evaluations, StateWriter& out) {
  out.put(kTimesteps, evaluations.timesteps);
  out.put(kReturns, evaluations.returns);
  out.put(kLengths, evaluations.lengths);
}

Evaluations load_evaluations(const StateReader& in) {
  return {.timesteps = in.get_vector<std::int64_t>(kTimesteps),
          .returns = in.get_vector<double>(kReturns),
          .lengths = in.get_vector<std::int64_t>(kLengths)};
}

void write_evaluations(const fs::path& file, const Evaluations& evaluations) {
  const auto count = static_cast<std::int64_t>(evaluations.count());
  const auto episodes = static_cast<std::int64_t>(evaluations.episodes());
  const NamedTensor arrays[] = {
      {kTimesteps, Tensor::of(std::span(evaluations.timesteps), {count})},
      {kReturns, Tensor::of(std::span(evaluations.returns), {count, episodes})},
      {kLengths, Tensor::of(std::span(evaluations.lengths), {count, episodes})}};
  save_npz(file, arrays);
}

void check_steps(std::span<const std::int64_t> timesteps) {
  const bool ordered = std::is_sorted(timesteps.begin(), timesteps.end());
  if (!ordered || (!timesteps.empty() && timesteps.front() < 0)) {
    throw Error("its evaluations are at steps below 0 or out of order");
  }
}

Evaluations read_evaluations(const fs::path& file) {
  const auto arrays = load_npz(file);
  const auto timesteps = find(arrays, kTimesteps).as<std::int64_t>();
  check_steps(timesteps);
  const Tensor& table = find(arrays, kReturns);
  const auto returns = table.as<double>();
  if (table.shape.size() != 2 || table.shape[0] != static_cast<std::int64_t>(timesteps.size())) {
    throw Error("results and timesteps do not fit together");
  }
  if (table.shape[1] < 1 && !timesteps.empty()) throw Error("holds evaluations without episodes");
  if (!std::all_of(returns.begin(), returns.end(), [](double x) { return std::isfinite(x); })) {
    throw Error("holds a return that is not finite");
  }
  Evaluations evaluations{.timesteps = {timesteps.begin(), timesteps.end()},
                          .returns = {returns.begin(), returns.end()},
                          .lengths = {}};
  for (const auto& [name, lengths] : arrays) {
    if (name != kLengths) continue;
    if (lengths.shape != table.shape) throw Error("ep_lengths and results do not fit together");
    const auto values = lengths.as<std::int64_t>();
    evaluations.lengths.assign(values.begin(), values.end());
  }
  return evaluations;
}

}  // namespace tarl::store
