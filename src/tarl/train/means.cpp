// SPDX-License-Identifier: MIT
#include "tarl/train/means.h"

#include <sstream>

namespace tarl::train {

void Means::add(std::string_view name, double value) {
  for (Row& row : rows_) {
    if (row.name == name) {
      row.sum += value;
      ++row.count;
      return;
    }
  }
  rows_.push_back({std::string(name), value, 1});
}

Means::Total Means::total(std::string_view name) const {
  for (const Row& row : rows_) {
    if (row.name == name) return {row.sum, row.count};
  }
  return {};
}

void Means::set(std::string_view name, const Total& total) {
  for (Row& row : rows_) {
    if (row.name != name) continue;
    row.sum = total.sum;
    row.count = total.count;
    return;
  }
  rows_.push_back({std::string(name), total.sum, total.count});
}

std::vector<std::pair<std::string, double>> Means::take() {
  std::vector<std::pair<std::string, double>> means;
  for (const Row& row : rows_)
    means.emplace_back(row.name, row.sum / static_cast<double>(row.count));
  rows_.clear();
  return means;
}

double Means::peek(std::string_view name, double otherwise) const {
  for (const Row& row : rows_) {
    if (row.name == name) return row.sum / static_cast<double>(row.count);
  }
  return otherwise;
}

void Means::save(StateWriter& out) const {
  std::string names;
  std::vector<double> sums;
  std::vector<std::int64_t> counts;
  for (const Row& row : rows_) {
    names += row.name + "\n";
    sums.push_back(row.sum);
    counts.push_back(row.count);
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
  rows_.clear();
  std::istringstream lines(names);
  for (std::string name; std::getline(lines, name);) {
    const std::size_t at = rows_.size();
    if (at >= sums.size() || at >= counts.size()) throw Error("checkpoint: means do not fit");
    rows_.push_back({name, sums[at], counts[at]});
  }
}

}  // namespace tarl::train
