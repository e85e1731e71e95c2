// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>

#include <nanobind/nanobind.h>

namespace tarl::python {

// The parts of a tuple that an environment returned. Throws TypeError with `what` if it is not a
// tuple of that size.
class Returned {
 public:
  Returned(nanobind::object value, Py_ssize_t size, const std::string& env, const char* what)
      : value_(std::move(value)) {
    if (PyTuple_Check(value_.ptr()) && PyTuple_Size(value_.ptr()) == size) return;
    throw nanobind::type_error((env + ": " + what).c_str());
  }

  nanobind::handle operator[](Py_ssize_t i) const { return PyTuple_GetItem(value_.ptr(), i); }

 private:
  nanobind::object value_;
};

}  // namespace tarl::python
