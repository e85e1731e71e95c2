// SPDX-License-Identifier: MIT
//
// Arrays between NumPy and C++. Inputs are views that the caller keeps alive; outputs own their
// memory.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace tarl::python {

template <class T, std::size_t kDimensions = 1>
using Array =
    nanobind::ndarray<T, nanobind::ndim<kDimensions>, nanobind::c_contig, nanobind::device::cpu>;

// A NumPy array of that shape that owns the values.
template <class T>
nanobind::object to_numpy(std::vector<T> values, std::span<const std::size_t> shape) {
  auto* held = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(held,
                                [](void* at) noexcept { delete static_cast<std::vector<T>*>(at); });
  return nanobind::cast(
      nanobind::ndarray<nanobind::numpy, T>(held->data(), shape.size(), shape.data(), owner));
}

template <class T>
nanobind::object to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  return to_numpy(std::move(values), std::span(shape.begin(), shape.size()));
}

}  // namespace tarl::python
