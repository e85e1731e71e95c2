// SPDX-License-Identifier: MIT
#include "tarl/agents/actor_critic/actor.h"

#include <algorithm>
#include <cstring>

#include "tarl/core/error.h"
#include "tarl/nn/encoder.h"

namespace tarl::agents::actor_critic {

namespace {

// Below this many rows a pass is shorter than waking the team.
constexpr int kRowsForTeam = 32;

}  // namespace

Group::Shape actor_group(const Actor::Shape& shape) {
  Group::Shape out;
  out.in = shape.obs;
  out.hidden = widths(shape.hidden);
  out.nets = {{"", shape.heads}};
  out.learning_rate = shape.learning_rate;
  out.has_target = shape.has_target;
  out.max_rows = shape.max_rows;
  return out;
}

std::vector<int> widths(const std::vector<std::int64_t>& net_arch) {
  return {net_arch.begin(), net_arch.end()};
}

Actor::Actor(const Shape& shape, Rng init, nn::Arena& arena)
    : obs_(shape.obs),
      max_rows_(shape.max_rows),
      group_(actor_group(shape), init, arena),
      pass_(group_.take_pass(shape.max_rows, arena)),
      x_(arena.take_rows(shape.max_rows, shape.obs)) {}

void Actor::count_memory(const Shape& shape, nn::Arena& arena) {
  Group::count_memory(actor_group(shape), 1, arena);
  arena.take_rows(shape.max_rows, shape.obs);
}

void Actor::act(std::span<const std::byte> obs, int n, Team& team,
                const std::function<void(std::size_t, const float*)>& use) {
  const auto bytes = static_cast<std::size_t>(obs_) * sizeof(float);
  require(obs.size() == static_cast<std::size_t>(n) * bytes, "observations of another size");
  if (n == 1) {
    std::memcpy(x_.data, obs.data(), bytes);
    group_.net(0).forward_row(group_.online().values(), x_.data, pass_.net[0]);
    use(0, heads().data);
    return;
  }
  for (int begin = 0; begin < n; begin += max_rows_) {
    act_rows(obs, {begin, std::min(n, begin + max_rows_)}, team, use);
  }
}

void Actor::act_rows(std::span<const std::byte> obs, Range rows, Team& team,
                     const std::function<void(std::size_t, const float*)>& use) {
  const nn::ObsRows from{obs.data(), static_cast<std::size_t>(obs_) * sizeof(float)};
  const auto first = static_cast<std::size_t>(rows.begin);
  const auto part = [&](Range mine) {
    for (int i = mine.begin; i < mine.end; ++i) {
      std::memcpy(x_.row(i), from.row(rows.begin + i), from.bytes);
    }
    decide(group_.online(), x_, mine);
    for (int i = mine.begin; i < mine.end; ++i) {
      use(first + static_cast<std::size_t>(i), heads().row(i));
    }
  };
  if (rows.size() < kRowsForTeam) {
    part({0, rows.size()});
    return;
  }
  team.run([&](int rank) { part(share(rows.size(), rank, team.size(), kRowGrain)); });
}

double Actor::backward_work() const {
  const nn::Linear& first = group_.net(0).layers().front();
  return 2 * forward_work() - static_cast<double>(first.in) * first.out;  // none of the observation
}

}  // namespace tarl::agents::actor_critic
