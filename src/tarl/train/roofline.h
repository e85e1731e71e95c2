// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/train/config.h"

namespace tarl::train {

// What this machine can do at best, one thread.
struct Ceilings {
  double multiply_adds = 0;  // operations a second, as measure_peak_gflops()
  double caches = 0;         // bytes a second of a plain pass that the second cache serves
  double memory = 0;         // the same over as much as the optimiser touches
  double divisions = 0;      // bytes a second of an optimiser's step on the first cache
};

enum class Bound { kMultiplyAdds, kCaches, kMemory, kDivisions, kOverhead };
inline constexpr const char* kBoundNames[] = {"multiply-adds", "caches", "memory",
                                              "divisions and roots", "calls and small loops"};

// A part of an update, or of the acting that goes with it.
struct RooflinePart {
  std::string name;
  double seconds = 0;              // for one update
  double operations = 0;           // by dense count; skipped zeros are counted and cost nothing
  double bytes = 0;                // operands, each once a call
  bool optimiser = false;          // divides, and passes over more than caches hold
  Bound bound = Bound::kOverhead;  // filled by bound_of()
};

struct Roofline {
  std::string name;
  double update_seconds = 0;  // sampling, scoring, keeping and learning
  Ceilings ceilings;
  std::vector<RooflinePart> parts;  // products, optimiser, passes, replay, rest; acting beside it
};

// The ceiling that leaves a part the least room; kOverhead where it takes more than twice what that
// ceiling asks for.
Bound bound_of(const RooflinePart& part, const Ceilings& ceilings);

// Takes an update of a run on one thread to pieces, in the best of short windows over about
// `seconds`. `scratch` is a folder for logs.
Roofline measure_roofline(RunConfig config, double seconds, const fs::path& scratch);

}  // namespace tarl::train
