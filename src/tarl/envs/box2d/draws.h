// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/core/rng.h"

namespace tarl::envs::box2d {

// The random numbers of an episode, in the order in which Gymnasium draws them.
class Draws {
 public:
  virtual ~Draws() = default;
  virtual double real(double low, double high) = 0;  // in [low, high)
  virtual int integer(int low, int high) = 0;        // in [low, high)
};

class RngDraws final : public Draws {
 public:
  explicit RngDraws(Rng& rng) : rng_(&rng) {}

  double real(double low, double high) override { return low + (high - low) * rng_->uniform(); }

  int integer(int low, int high) override {
    return low + static_cast<int>(rng_->below(static_cast<std::uint32_t>(high - low)));
  }

 private:
  Rng* rng_;
};

}  // namespace tarl::envs::box2d
