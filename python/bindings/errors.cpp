// SPDX-License-Identifier: MIT
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bindings/bindings.h"

#include "tarl/core/error.h"

namespace nb = nanobind;

namespace tarl::python {

namespace {

// The classes are defined in Python (tarl/errors.py), since each has two bases.
void raise(const char* name, const char* what) {
  const nb::object type = nb::module_::import_("tarl.errors").attr(name);
  PyErr_SetString(type.ptr(), what);
}

// Command-line flags do not apply in Python.
std::string without_flags(std::string what) {
  static constexpr std::string_view kFlag = "; --plugin adds others";
  if (const auto at = what.find(kFlag); at != std::string::npos) what.erase(at, kFlag.size());
  return what;
}

void translate(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const UsageError& error) {
    raise("UsageError", without_flags(error.what()).c_str());
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
