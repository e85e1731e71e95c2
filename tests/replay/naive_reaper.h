// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace replay_test {

// ReaPER's bookkeeping by the literal rules, every number recomputed from the whole buffer.
class NaiveReaper {
 public:
  struct Row {
    double td = 0, cumulative = 0, sum = 0, weight = 0;
    std::int64_t episode = -1, timestep = 0;
  };

  NaiveReaper(double alpha, double omega, double eps, std::int64_t capacity, int lanes)
      : alpha_(alpha),
        omega_(omega),
        eps_(eps),
        lanes_(lanes),
        rows_(capacity),
        last_(lanes, Row{}),
        running_(lanes, false) {}

  void add(std::int64_t slot, bool done) {
    const std::int64_t lane = slot % lanes_;
    const Row before = running_[lane] ? last_[lane] : Row{0, 0, 0, 0, episodes_++, 0};
    running_[lane] = true;
    finished_.resize(episodes_);
    Row& row = rows_[slot];
    // C of the previous transition, with its current value; it may just have been overwritten by
    // this one.
    double cumulative = before.cumulative;
    for (const Row& other : rows_) {
      if (other.episode == before.episode && other.timestep == before.timestep) {
        cumulative = other.cumulative;
      }
    }
    row = {max_td_,        cumulative + max_td_, max_sum_, std::pow(max_td_, alpha_),
           before.episode, before.timestep + 1};
    last_[lane] = row;
    if (!done) return;
    running_[lane] = false;
    finished_[row.episode] = true;
    const Row end = row;
    for (Row& other : rows_) {
      if (other.episode == end.episode) other.sum = end.cumulative;
    }
    max_sum_ = std::max(max_sum_, largest_sum());
    recompute(end.episode);
  }

  void update(std::span<const std::int64_t> slots, std::span<const double> errors) {
    if (slots.empty()) return;
    std::vector<std::int64_t> done;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (std::find(done.begin(), done.end(), slots[i]) != done.end()) continue;
      done.push_back(slots[i]);
      change(rows_[slots[i]], std::fabs(errors[i]) + eps_);
    }
    max_sum_ = largest_sum();
    for (const std::int64_t slot : done) recompute(rows_[slot].episode);
  }

  const Row& row(std::int64_t slot) const { return rows_[slot]; }

  double max_td() const { return max_td_; }

  double max_sum() const { return max_sum_; }

  double total() const {
    double sum = 0;
    for (const Row& row : rows_) sum += row.weight;
    return sum;
  }

  std::int64_t find(double mass) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      sum += rows_[i].weight;
      if (sum > mass) return static_cast<std::int64_t>(i);
    }
    return -1;
  }

 private:
  void change(Row& changed, double td) {
    const double delta = changed.td - td;
    changed.td = td;
    max_td_ = std::max(max_td_, td);
    for (Row& other : rows_) {
      if (other.episode != changed.episode) continue;
      if (finished_[other.episode]) other.sum -= delta;
      if (other.timestep >= changed.timestep) other.cumulative -= delta;
    }
  }

  void recompute(std::int64_t episode) {
    for (Row& row : rows_) {
      if (row.episode != episode) continue;
      const double reliability = std::clamp(row.cumulative / row.sum, 1e-8, 1.0);
      row.weight = std::pow(row.td, alpha_) * std::pow(reliability, omega_);
    }
  }

  double largest_sum() const {
    double largest = 0;
    for (const Row& row : rows_) largest = std::max(largest, row.sum);
    return largest;
  }

  double alpha_, omega_, eps_;
  int lanes_;
  double max_td_ = 1, max_sum_ = 1;
  std::int64_t episodes_ = 0;
  std::vector<Row> rows_;
  std::vector<Row> last_;       // [lane] its newest transition as it was stored
  std::vector<char> running_;   // [lane]
  std::vector<char> finished_;  // [episode]
};

}  // namespace replay_test
