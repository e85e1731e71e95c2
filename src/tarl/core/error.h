// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace tarl {

// Something outside the program is wrong (file, disk, data, machine): says what, where, and what
// to do next. Caught once, in cli/app.cpp. Exit code 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The command or the settings are wrong. Exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

// A NaN or an infinity reached the learner (observation, reward, loss, gradient): thrown before the
// optimiser step, so that none of it enters the parameters. Exit code 3.
class NonFiniteError : public Error {
 public:
  using Error::Error;
};

// A broken contract is our own bug: throws std::logic_error with file and line.
inline void require(bool condition, const char* what, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (!condition) {
    throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " + what);
  }
}

}  // namespace tarl
