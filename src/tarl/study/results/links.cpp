// SPDX-License-Identifier: MIT
#include <algorithm>

#include "tarl/study/results/labels.h"

namespace tarl::study {

namespace {

bool is_plain_version(const Algorithm& plain, const Algorithm& aligned) {
  return !plain.aligned() && plain.base == aligned.base && plain.replay == aligned.replay;
}

// As the study defines. It names conditions, which may exist once for every tag.
void link_as_told(std::vector<Algorithm>& algorithms, std::size_t at, const Study& study) {
  Algorithm& mine = algorithms[at];
  const Condition* told = study.find(mine.condition);
  if (told == nullptr || told->against.empty()) return;
  const auto is_control = [&](const std::string& condition) {
    return std::find(study.controls.begin(), study.controls.end(), condition) !=
           study.controls.end();
  };
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    if (i == at || algorithms[i].tag != mine.tag) continue;
    if (algorithms[i].condition == told->against) {
      mine.reference = i;
    } else if (is_control(algorithms[i].condition) && !is_control(mine.condition)) {
      mine.controls.push_back(i);
    }
  }
}

// An aligned agent and the same one without alignment, with the same tag if there is one.
void guess_links(std::vector<Algorithm>& algorithms, Algorithm& aligned) {
  std::vector<std::size_t> same_batch, same_settings;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    const Algorithm& plain = algorithms[i];
    if (!is_plain_version(plain, aligned)) continue;
    if (plain.batch_ratio == aligned.batch_ratio) {
      same_batch.push_back(i);
      if (plain.variant == aligned.variant) same_settings.push_back(i);
      if (plain.variant == aligned.variant && plain.tag == aligned.tag) aligned.reference = i;
    } else if (plain.batch_ratio > aligned.batch_ratio && plain.variant == aligned.variant &&
               plain.tag == aligned.tag) {
      aligned.controls.push_back(i);
    }
  }
  for (const auto* candidates : {&same_settings, &same_batch}) {
    if (!aligned.reference && candidates->size() == 1) aligned.reference = candidates->front();
  }
}

}  // namespace

void link_algorithms(std::vector<Algorithm>& algorithms, const std::vector<Source>& sources,
                     const std::vector<std::optional<std::size_t>>& source_of_study) {
  for (std::size_t a = 0; a < algorithms.size(); ++a) {
    if (source_of_study[a]) {
      link_as_told(algorithms, a, *sources[*source_of_study[a]].study);
    } else if (algorithms[a].aligned()) {
      guess_links(algorithms, algorithms[a]);
    }
    for (std::size_t i = 0; i < a; ++i) {
      if (algorithms[i].condition != algorithms[a].condition) continue;
      algorithms[a].versions.push_back(i);
      break;  // all with the first
    }
  }
}

}  // namespace tarl::study
