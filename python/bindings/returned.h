// SPDX-License-Identifier: MIT
//
// What an environment's methods return, checked. Messages name the environment.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

namespace tarl::python {

// The parts of a tuple that an environment returned. Throws TypeError with `what` if it is not a
// tuple of that size.
class Returned {
 public:
  Returned(nanobind::object value, Py_ssize_t size, const std::string& env, const char* what);

  nanobind::handle operator[](Py_ssize_t i) const { return PyTuple_GetItem(value_.ptr(), i); }

 private:
  nanobind::object value_;
};

// A number of any type. Throws TypeError that says what `what` is instead.
double number(nanobind::handle value, const std::string& env, const char* what);

// A truth value: also a whole number or an array of one value. Throws TypeError for anything else,
// such as words and rewards, which Python would take for true.
bool truth(nanobind::handle value, const std::string& env, const char* what);

}  // namespace tarl::python
