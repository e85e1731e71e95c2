// SPDX-License-Identifier: MIT
//
// The equations of tarl.align, which also allocates their results, for arrays in the CPU's memory.
#include "tarl/align/align.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "bindings/bindings.h"
#include <nanobind/ndarray.h>

namespace nb = nanobind;

namespace tarl::python {

namespace {

template <class T>
using AnyShape = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

// equation(online error, offline error) for each element of q. Targets with fewer elements repeat,
// as critics share them.
template <class T, class Result, class Equation>
void for_each_error(const AnyShape<const T>& q, const AnyShape<const T>& y_online,
                    const AnyShape<const T>& y_offline, const AnyShape<Result>& out,
                    Equation equation) {
  const std::size_t n = q.size();
  if (n == 0 && out.size() == 0) return;
  for (const std::size_t targets : {y_online.size(), y_offline.size()}) {
    if (out.size() != n || targets == 0 || n % targets != 0) {
      throw nb::value_error("q, its targets and the results differ in size");
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double prediction{q.data()[i]};
    out.data()[i] =
        static_cast<Result>(equation(double{y_online.data()[i % y_online.size()]} - prediction,
                                     double{y_offline.data()[i % y_offline.size()]} - prediction));
  }
}

template <class T>
void bind_equations(nb::module_& module) {
  using In = const AnyShape<const T>&;
  const auto exactly = [](const char* name) { return nb::arg(name).noconvert(); };
  module.def(
      "align_score",
      [](In q, In y_online, In y_offline, const AnyShape<double>& out) {
        for_each_error(q, y_online, y_offline, out, align::alignment_score);
      },
      exactly("q"), exactly("y_online"), exactly("y_offline"), exactly("out"));
  module.def(
      "align_scenario",
      [](In q, In y_online, In y_offline, const AnyShape<std::int32_t>& out) {
        for_each_error(q, y_online, y_offline, out, align::scenario);
      },
      exactly("q"), exactly("y_online"), exactly("y_offline"), exactly("out"));
}

// Fills `kept`. NaN cannot be sorted: it comes last.
void keep_best(const AnyShape<const double>& scores, const AnyShape<std::int64_t>& kept) {
  if (kept.size() > scores.size()) throw nb::value_error("more rows to keep than scores");
  std::vector<double> ranked(scores.data(), scores.data() + scores.size());
  for (double& score : ranked) {
    if (std::isnan(score)) score = -std::numeric_limits<double>::infinity();
  }
  const auto best = align::keep_best(ranked, static_cast<int>(kept.size()));
  std::copy(best.begin(), best.end(), kept.data());
}

}  // namespace

void bind_align(nb::module_& module) {
  bind_equations<float>(module);
  bind_equations<double>(module);
  module.def("align_keep_best", keep_best, nb::arg("scores").noconvert(),
             nb::arg("kept").noconvert());
  module.def("align_oversampling", align::oversampling, nb::arg("margin"), nb::arg("m"));
}

}  // namespace tarl::python
