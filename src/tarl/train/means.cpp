// SPDX-License-Identifier: MIT
#include "tarl/train/means.h"

#include <sstream>

namespace tarl::train {

namespace {

double mean_of_total(const Means::Total& total) {
  return total.sum / static_cast<double>(total.count);
}

}  // namespace

Means::Total& Means::total_of(rl::Metric metric) {
  Total& total = totals_[static_cast<std::size_t>(metric)];
  if (total.count == 0) order_.push_back(metric);
  return total;
}

void Means::add(rl::Metric metric, double value) {
  Total& total = total_of(metric);
  total.sum += value;
  ++total.count;
}

void Means::set(rl::Metric metric, const Total& total) {
  total_of(metric) = total;
}

std::vector<std::pair<std::string, double>> Means::take() {
  std::vector<std::pair<std::string, double>> means;
  means.reserve(order_.size());
  for (const rl::Metric metric : order_) {
    means.emplace_back(rl::name_of(metric), mean_of_total(total(metric)));
  }
  *this = {};
  return means;
}

double Means::peek(rl::Metric metric, double otherwise) const {
  return total(metric).count > 0 ? mean_of_total(total(metric)) : otherwise;
}

void Means::save(StateWriter& out) const {
  std::string names;
  std::vector<double> sums;
  std::vector<std::int64_t> counts;
  for (const rl::Metric metric : order_) {
    names += std::string(rl::name_of(metric)) + "\n";
    sums.push_back(total(metric).sum);
    counts.push_back(total(metric).count);
  }
  out.put("names", names);
  out.put("sums", sums);
  out.put("counts", counts);
}

void Means::load(const StateReader& in) {
  std::string names;
  in.get("names", names);
  const auto sums = in.get_vector<double>("sums");
  const auto counts = in.get_vector<std::int64_t>("counts");
  *this = {};
  std::istringstream lines(names);
  std::size_t at = 0;
  for (std::string name; std::getline(lines, name); ++at) {
    const auto metric = rl::find_metric(name);
    if (!metric || at >= sums.size() || at >= counts.size() || counts[at] <= 0) {
      throw Error("checkpoint: the logged means do not fit ('" + name + "')");
    }
    set(*metric, {sums[at], counts[at]});
  }
}

}  // namespace tarl::train
