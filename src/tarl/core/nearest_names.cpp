// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "tarl/core/fields.h"
#include "tarl/core/lower_case.h"

namespace tarl {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
    }
  }
  return row[b.size()];
}

// Of a name in parts: "hopper" is one of "mujoco/hopper" and none of "atari/chopper_command".
bool is_part(std::string_view word, std::string_view name) {
  const auto ends_a_part = [&](std::size_t at) {
    return at == name.size() || name[at] == '/' || name[at] == '.';
  };
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    if ((at == 0 || ends_a_part(at - 1)) && ends_a_part(at + word.size())) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> known) {
  const std::string wanted = lower_case(name);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : known) {
    const std::string plain = lower_case(candidate);
    std::size_t distance = edit_distance(wanted, plain);
    // A letter or two are in almost every name.
    if (wanted.size() > 2 && plain.find(wanted) != std::string::npos) distance = 1;
    if (!wanted.empty() && is_part(wanted, plain)) distance = 0;
    if (distance <= std::max<std::size_t>(2, wanted.size() / 3)) {
      ranked.emplace_back(distance, candidate);
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < ranked.size() && i < 3; ++i) names.push_back(ranked[i].second);
  return names;
}

std::string alternatives(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 < names.size() ? ", " : " or ";
    out += names[i];
  }
  return out;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  std::vector<std::string> quoted;
  for (const std::string& near : nearest_names(name, known)) quoted.push_back("'" + near + "'");
  return quoted.empty() ? "" : "; did you mean " + alternatives(quoted) + "?";
}

}  // namespace tarl
