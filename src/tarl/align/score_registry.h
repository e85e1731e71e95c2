// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tarl/align/score.h"

namespace tarl::align {

// A candidate as one critic sees it. Both errors are finite.
struct Candidate {
  double online_error = 0;   // y_online - q
  double offline_error = 0;  // y_offline - q
  double reward = 0;         // n-step return
  bool terminal = false;     // both targets are the reward alone
};

// How good a candidate is to learn from, in [0, 1]; depends on its argument alone. With several
// critics a candidate's score is the minimum over them.
using ScoreFunction = std::function<double(const Candidate&)>;

struct ScoreEntry {
  std::string name;        // the value of align.score
  std::string help;        // one line for `tarl list scores`
  ScoreFunction function;  // empty for built-in scores
  ScoreKind kind = ScoreKind::kForeign;
};

// Scores by name: the built-in ones and those of a program that links tarl, which adds its own
// before it resolves settings that name them.
class ScoreRegistry {
 public:
  ScoreRegistry() {
    for (std::size_t i = 0; i < kBuiltInScores.size(); ++i) {
      const BuiltInScore& score = kBuiltInScores[i];
      entries_.push_back({score.name, score.help, {}, static_cast<ScoreKind>(i)});
    }
  }

  // A second score with the same name replaces the first. Throws std::invalid_argument if the name
  // is empty or belongs to a built-in score, or if there is no function.
  void add(std::string name, std::string help, ScoreFunction function) {
    if (name.empty() || !function) throw std::invalid_argument("a score has a name and a function");
    const auto found = place_of(name);
    if (found == entries_.end()) {
      entries_.push_back({std::move(name), std::move(help), std::move(function)});
    } else if (found->kind == ScoreKind::kForeign) {
      *found = {std::move(name), std::move(help), std::move(function)};
    } else {
      throw std::invalid_argument("score '" + name + "' is built in; give yours another name");
    }
  }

  // Null if no score has that name; otherwise valid until the next add().
  const ScoreEntry* find(std::string_view name) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const ScoreEntry& entry) { return entry.name == name; });
    return found == entries_.end() ? nullptr : &*found;
  }

  // The built-in ones first.
  const std::vector<ScoreEntry>& entries() const { return entries_; }

 private:
  std::vector<ScoreEntry>::iterator place_of(std::string_view name) {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const ScoreEntry& entry) { return entry.name == name; });
  }

  std::vector<ScoreEntry> entries_;
};

inline ScoreRegistry& score_registry() {
  static ScoreRegistry instance;
  return instance;
}

}  // namespace tarl::align
