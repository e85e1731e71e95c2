// SPDX-License-Identifier: MIT
#include "bindings/returned.h"

#include <cstddef>
#include <utility>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace tarl::python {

namespace {

constexpr std::size_t kLongest = 100;

std::string instead(nb::handle value, const std::string& env, const char* what,
                    const char* wanted) {
  std::string shown = nb::repr(value).c_str();
  if (shown.size() > kLongest)
    shown = "a value of type " + nb::cast<std::string>(value.type().attr("__name__"));
  return env + ": " + what + " must be " + wanted + ", and is " + shown;
}

// Replaces the Python error of a conversion, but no interrupt.
[[noreturn]] void raise_instead(nb::handle value, const std::string& env, const char* what,
                                const char* wanted) {
  nb::python_error problem;
  if (!problem.matches(PyExc_TypeError) && !problem.matches(PyExc_ValueError)) throw problem;
  nb::raise_from(problem, PyExc_TypeError, "%s", instead(value, env, what, wanted).c_str());
}

}  // namespace

Returned::Returned(nb::object value, Py_ssize_t size, const std::string& env, const char* what)
    : value_(std::move(value)) {
  if (PyTuple_Check(value_.ptr()) && PyTuple_Size(value_.ptr()) == size) return;
  throw nb::type_error((env + ": " + what).c_str());
}

double number(nb::handle value, const std::string& env, const char* what) {
  const double out = PyFloat_AsDouble(value.ptr());
  if (out != -1 || PyErr_Occurred() == nullptr) return out;
  raise_instead(value, env, what, "a number");
}

bool truth(nb::handle value, const std::string& env, const char* what) {
  constexpr const char* kWanted = "true or false";
  if (value.ptr() == Py_False) return false;
  if (value.ptr() == Py_True) return true;
  if (value.is_none() || PyFloat_Check(value.ptr()) || PyUnicode_Check(value.ptr()) ||
      PyBytes_Check(value.ptr())) {
    throw nb::type_error(instead(value, env, what, kWanted).c_str());
  }
  const int out = PyObject_IsTrue(value.ptr());
  if (out >= 0) return out != 0;
  raise_instead(value, env, what, kWanted);
}

}  // namespace tarl::python
