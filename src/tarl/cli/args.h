// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tarl::cli {

struct Option {
  std::string name;   // "--algo"
  std::string value;  // "NAME"; empty for a switch; "[N]" for an optional number
  std::string help;
  std::vector<std::string> aliases;  // "-n", "--n-timesteps"
};

inline constexpr int kAnyNumber = std::numeric_limits<int>::max();  // of positional arguments

// One verb of the command line: its options and arguments, for the parser and for --help.
struct Verb {
  std::string name;     // "train"
  std::string summary;  // one line
  std::string usage;    // "RUN [--episodes N]", after the verb's name
  std::vector<Option> options;
  std::vector<std::string> examples;
  int min_positional = 0;
  int max_positional = 0;
  int (*run)(const class Args& args) = nullptr;
};

// Parsed arguments of a verb.
class Args {
 public:
  // Throws UsageError on an unknown option (with the nearest), a missing value, or a wrong number
  // of positional arguments.
  Args(const Verb& verb, const std::vector<std::string>& words);

  bool has(const std::string& option) const { return values_.contains(option); }

  std::optional<std::string> value(const std::string& option) const;  // the last one given
  std::vector<std::string> values(const std::string& option) const;   // all, in order

  const std::vector<std::string>& positional() const { return positional_; }

  // The option as a number within bounds; empty if it is not given.
  std::optional<double> number(const std::string& option, double low, double high) const;

  // The option as an integer within bounds; `otherwise` if it is not given.
  std::int64_t whole(const std::string& option, std::int64_t otherwise, std::int64_t low,
                     std::int64_t high) const;
  // All values of a repeatable option, in order.
  std::vector<std::int64_t> wholes(const std::string& option, std::int64_t low,
                                   std::int64_t high) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> positional_;
};

std::string help_text(const Verb& verb);

}  // namespace tarl::cli
