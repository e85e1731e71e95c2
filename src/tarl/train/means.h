// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tarl/core/state.h"

namespace tarl::train {

// Running means by name between two log rows, in the order in which the names first came.
class Means {
 public:
  void add(std::string_view name, double value);

  // What one name has gathered so far, for whoever keeps the sums elsewhere.
  struct Total {
    double sum = 0;
    std::int64_t count = 0;
  };

  Total total(std::string_view name) const;  // zeros where there is none
  void set(std::string_view name, const Total& total);

  // The means so far; starts anew.
  std::vector<std::pair<std::string, double>> take();

  // The mean so far of one name, or `otherwise`.
  double peek(std::string_view name, double otherwise) const;

  void save(StateWriter& out) const;
  void load(const StateReader& in);

 private:
  struct Row {
    std::string name;
    double sum = 0;
    std::int64_t count = 0;
  };

  std::vector<Row> rows_;
};

}  // namespace tarl::train
