// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tarl/study/results/run.h"

namespace tarl::study {

// Which settings tell runs of one family apart. A family is a set of runs whose names agree up to
// such settings. Environments whose runs share settings are named alike, so that a condition has
// one name everywhere; what varies in other environments does not concern them.
class VaryingSettings {
 public:
  // families[i] is the family of runs[i].
  VaryingSettings(const std::vector<const Run*>& runs, const std::vector<std::string>& families);

  // Keys whose values differ between runs of this run's family, in one environment of its kind.
  const std::set<std::string>& keys(std::size_t run) const;

  // As few of these keys as tell the same runs apart, if there are many; otherwise all.
  const std::set<std::string>& named(std::size_t run) const;

 private:
  struct Group {  // runs of one family, in environments that share settings
    std::vector<const Run*> runs;
    std::set<std::string> keys, named;
  };

  std::vector<std::size_t> group_of_;  // by run
  std::vector<Group> groups_;
};

}  // namespace tarl::study
