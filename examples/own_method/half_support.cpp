// SPDX-License-Identifier: MIT
//
// A score: 1 if the online network supports at least half of the offline step.
#include "own_method.h"

void add_half_support(tarl::align::ScoreRegistry& registry) {
  registry.add("half-support",
               "1 where the online error is at least half of the offline one, else 0",
               [](const tarl::align::Candidate& candidate) {
                 const double share = candidate.online_error / candidate.offline_error;
                 return candidate.offline_error == 0 || share >= 0.5 ? 1.0 : 0.0;
               });
}
