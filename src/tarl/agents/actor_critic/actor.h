// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "tarl/agents/actor_critic/group.h"

namespace tarl::agents::actor_critic {

// A policy network: from observations to the outputs of its heads.
class Actor {
 public:
  struct Shape {
    int obs = 0;
    std::vector<std::int64_t> hidden;
    std::vector<nn::Head> heads;
    double learning_rate = 0;
    bool has_target = false;
    int max_rows = 0;
  };

  Actor(const Shape& shape, Rng init, nn::Arena& arena);

  // As for Group.
  static void count_memory(const Shape& shape, nn::Arena& arena);

  Group& group() { return group_; }

  const Group& group() const { return group_; }

  // Activations of the last forward().
  const Pass& pass() const { return pass_; }

  nn::Rows heads() const { return pass_.output(0); }

  void forward(const nn::Parameters& values, nn::ConstRows x, Range rows) {
    group_.forward(values, x, rows, pass_);
  }

  // Only heads(), not the activations that learning needs.
  void decide(const nn::Parameters& values, nn::ConstRows x, Range rows) {
    group_.outputs(values, x, rows, pass_);
  }

  // Passes the outputs for each of n observations to use(row, outputs), in any order and on any
  // member of the team.
  void act(std::span<const std::byte> obs, int n, Team& team,
           const std::function<void(std::size_t, const float*)>& use);

  // Multiply-adds of a row, counted densely.
  double forward_work() const { return group_.net(0).multiply_adds(); }

  double backward_work() const;

 private:
  void act_rows(std::span<const std::byte> obs, Range rows, Team& team,
                const std::function<void(std::size_t, const float*)>& use);

  int obs_;
  int max_rows_;
  Group group_;
  Pass pass_;
  nn::Rows x_;
};

// The group that an actor is.
Group::Shape actor_group(const Actor::Shape& shape);

// Converts hidden widths from settings for a network.
std::vector<int> widths(const std::vector<std::int64_t>& net_arch);

}  // namespace tarl::agents::actor_critic
