// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tarl/agents/trained_state.h"
#include "tarl/core/rng.h"
#include "tarl/core/state.h"
#include "tarl/core/threads.h"
#include "tarl/nn/mlp.h"
#include "tarl/nn/optimizer.h"

namespace tarl::agents::actor_critic {

// A team splits the rows of a forward pass in whole tiles of the matrix product.
inline constexpr int kRowGrain = 8;

// Prefixes of the tensors of each group, in model files and checkpoints alike.
inline constexpr const char* kActorPrefix = "actor.";
inline constexpr const char* kCriticPrefix = "critic.";

// And of the rest of a group's saved state.
TrainedNames group_names(const std::string& prefix);

// Activations of each network of a group on one set of rows.
struct Pass {
  std::vector<nn::MlpRows> net;

  nn::Rows output(int i) const { return net[static_cast<std::size_t>(i)].output(); }

  // For a network with one output.
  float value(int i, int row) const { return *output(i).row(row); }
};

// Networks that one Adam trains together (an actor, or the critics), with a target copy if wanted.
// Functions that take a rank are SPMD: called by every member of the team, whose parts cover the
// whole.
class Group {
 public:
  // One network per list of heads: name, input width, the same hidden widths for all.
  struct Net {
    std::string prefix;  // of its tensors, "q1."
    std::vector<nn::Head> heads;
  };

  struct Shape {
    int in = 0;
    std::vector<int> hidden;
    std::vector<Net> nets;
    double learning_rate = 0;
    bool has_target = false;
    int max_rows = 0;
  };

  // The target starts as a copy.
  Group(const Shape& shape, Rng init, nn::Arena& arena);

  // The networks of a shape; adds their parameters to `layout`.
  static std::vector<nn::Mlp> plan(const Shape& shape, nn::ParameterLayout& layout);

  // Allocates from an arena that only counts, to size a group of this shape and number of passes.
  static void count_memory(const Shape& shape, int passes, nn::Arena& arena);

  int count() const { return static_cast<int>(nets_.size()); }

  const nn::Mlp& net(int i) const { return nets_[static_cast<std::size_t>(i)]; }

  const nn::Parameters& online() const { return online_; }

  const nn::Parameters& target() const { return target_.value(); }

  void mix_target(double tau);

  Pass take_pass(int rows, nn::Arena& arena) const;

  // The first `nets` networks (all by default) on `rows` of x.
  void forward(const nn::Parameters& values, nn::ConstRows x, Range rows, const Pass& out,
               int nets = -1) const;

  // The same outputs without the activations: hidden rows are overwritten block by block, which
  // keeps the weights in cache. Only rows in `rows` are touched.
  void outputs(const nn::Parameters& values, nn::ConstRows x, Range rows, const Pass& out) const;

  // Row i of `to` becomes row kept[i] of `from`, for i in `rows`.
  void gather(const Pass& from, std::span<const int> kept, Range rows, const Pass& to) const;

  // backward() requires a refresh() since the values changed, a meeting between the two, and the
  // gradient of each network's output in delta(): rows [0, n), of which this rank has filled
  // share(n, rank, members, kLanes).
  void refresh(int rank, int members);

  nn::Rows delta(int i) const { return work_[static_cast<std::size_t>(i)].output(); }

  void backward(nn::ConstRows x, const Pass& pass, int n, int rank, Team& team);

  // Meets before, inside and after: on return every rank has the norm of all gradients.
  double gradient_norm(int rank, Team& team);

  // This rank's share of an Adam step; call count_step() once, after all ranks are done.
  void apply(int rank, int members);

  void count_step() { optimizer_.count_step(); }

  void set_rate_share(double share) { optimizer_.set_rate_share(share); }

  // Tensors as <prefix><name>, target ones as target.<prefix><name>, optimiser state as
  // optimizer.<state>.<prefix><name> and optimizer.<prefix>steps.
  void put_parameters(const std::string& prefix, Tensors& out) const;
  void put_gradients(const std::string& prefix, Tensors& out) const;
  void set_parameters(const std::string& prefix, const StateReader& in);  // and the target
  void save(const std::string& prefix, StateWriter& out) const;
  void load(const std::string& prefix, const StateReader& in);

 private:
  nn::ParameterLayout layout_;
  std::vector<nn::Mlp> nets_;
  nn::Optimizer optimizer_;
  nn::Parameters online_;
  std::optional<nn::Parameters> target_;
  std::vector<nn::MlpWork> work_;
  std::vector<double> squares_;
};

}  // namespace tarl::agents::actor_critic
