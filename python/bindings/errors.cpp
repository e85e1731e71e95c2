// SPDX-License-Identifier: MIT
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

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

// Command-line flags do not apply in Python, and some commands have a function there.
std::string in_python(std::string what) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"; --plugin adds others", ""},
      {"--steps: ", ""},
      {"--set: ", ""},
      {"(tarl list envs shows all)", "(tarl.envs.names() lists all)"},
      {"(tarl show-config lists all)", "(tarl.settings() lists all)"},
  };
  for (const auto& [shell, python] : kWords) {
    if (const auto at = what.find(shell); at != std::string::npos) {
      what.replace(at, shell.size(), python);
    }
  }
  return what;
}

void translate(const std::exception_ptr& problem, void*) {
  try {
    std::rethrow_exception(problem);
  } catch (const UsageError& error) {
    raise("UsageError", in_python(error.what()).c_str());
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
