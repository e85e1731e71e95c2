// SPDX-License-Identifier: MIT
#include <exception>
#include <stdexcept>

#include "bindings/bindings.h"

#include "tarl/core/error.h"

namespace nb = nanobind;

namespace tarl::python {

namespace {

// The classes are Python's own (tarl/errors.py), since each has two bases.
void raise(const char* name, const char* what) {
  const nb::object type = nb::module_::import_("tarl.errors").attr(name);
  PyErr_SetString(type.ptr(), what);
}

void translate(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const UsageError& error) {
    raise("UsageError", error.what());
  } catch (const NonFiniteError& error) {
    raise("NonFiniteError", error.what());
  } catch (const Error& error) {
    raise("Error", error.what());
  } catch (const std::logic_error& error) {
    PyErr_SetString(PyExc_AssertionError, error.what());
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator(translate);
}

}  // namespace tarl::python
