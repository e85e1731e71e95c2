// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/core/rng.h"
#include "tarl/fleet/actor_critic/device.h"

// What kernels see of agents. A wave is a list of items, one for each agent in it; every kernel
// runs over all of them, so many blocks an item, and blocks that an item has no work for leave at
// once. Whatever the company, an agent's numbers come from its own arrays in an order of its own.
namespace tarl::fleet::actor_critic {

inline constexpr int kBlockThreads = 256;
inline constexpr int kTile = 64;  // rows and columns of a product that a block computes

enum class Finish : std::int32_t { kStore, kRelu, kGate };

// nn::Product with free strides: C = A B, every element one chain of fused multiply-adds over the
// depth, in ascending order, from the bias or zero. Rows of A, its depths and B's may be looked up.
struct Product {
  const float* a = nullptr;  // A(i, k) = a[i * a_row + k * a_depth]
  const float* b = nullptr;  // B(k, j) = b[k * b_depth + j * b_column]
  float* c = nullptr;        // C(i, j) = c[i * c_row + j]
  const float* bias = nullptr;
  const float* gate = nullptr;  // as c, for kGate
  const std::int32_t *a_rows = nullptr, *a_depths = nullptr, *b_depths = nullptr;
  const std::int32_t* gate_rows = nullptr;
  std::int32_t* bad = nullptr;  // set where an element's square is not finite
  std::int32_t rows = 0;        // negative: those that the item acts on
  std::int32_t columns = 0, depth = 0;
  std::int32_t a_row = 0, a_depth = 1, b_depth = 0, b_column = 1, c_row = 0, gate_row = 0;
  Finish finish = Finish::kStore;
  bool dots = false;  // a layer with one output, forward: b is its weights, summed as nn's row_dots
  bool actor = false;  // left out where the actor is not due

  TARL_HOST_DEVICE int tiles(int all_rows) const {
    return (all_rows + kTile - 1) / kTile * ((columns + kTile - 1) / kTile);
  }
};

// Products that need nothing of each other, in the order of an update.
enum class Phase : std::int32_t {
  kNext1,  // the actor on next observations
  kNext2,
  kNextHeads,
  kCritic1,  // the critics on what the batch asks for
  kCritic2,
  kValues,
  kBackTop,     // the critics' gradients; and the actor on kept observations
  kBackHidden,  //
  kBackWeights,
  kPolicy1,  // the critics on its actions
  kPolicy2,
  kPolicyValues,
  kSlopeHidden,  // and what they ask of the actions
  kSlopeAction,
  kActorBack2,  // the actor's gradients
  kActorBack1,
  kActorWeights,
  kAct1,  // and acting
  kAct2,
  kActHeads,
};
inline constexpr int kPhases = 20;

struct PhaseView {
  const Product* products = nullptr;
  std::int32_t count = 0;
};

struct TrainedView {
  float *values = nullptr, *target = nullptr, *grads = nullptr, *first = nullptr, *second = nullptr;
  std::int32_t size = 0;
};

struct AgentView {
  PhaseView phase[kPhases];
  std::int32_t obs = 0, actions = 0, batch = 0, candidates = 0, critics = 0;
  bool sac = false, scores = false, clipped = false, given_noise = false;
  float noise_scale = 0, noise_clip = 0, tau = 0;
  double loss_scale = 0, target_entropy = 0;
  std::int32_t row_floats = 0;  // of the replay
  std::int32_t x_stride = 0, heads_stride = 0, da_stride = 0;
  float* replay = nullptr;                                     // [capacity][row_floats]
  float *x = nullptr, *next_x = nullptr, *policy_x = nullptr;  // [candidates][x_stride]
  float *reward = nullptr, *discount = nullptr;                // [candidates]
  float *noise_next = nullptr, *noise_policy = nullptr;        // [candidates][padded actions]
  std::int32_t noise_stride = 0;
  float *heads = nullptr, *slope_heads = nullptr;                   // [candidates][heads_stride]
  float* entropy = nullptr;                                         // [candidates]
  float *q = nullptr, *q_target = nullptr, *q_online = nullptr;     // [critic][candidates]
  float *y_online = nullptr, *y_offline = nullptr;                  // [critic][candidates]
  float *slope_q = nullptr, *policy_q = nullptr;                    // [critic][batch]
  float* da = nullptr;                                              // [critic][batch][da_stride]
  float *deviation = nullptr, *action = nullptr, *slope = nullptr;  // [batch][actions]
  float* log_prob = nullptr;                                        // [batch]
  double* actor_loss = nullptr;                                     // [batch]
  std::int32_t* kept = nullptr;                                     // [batch]
  std::int32_t* stop = nullptr;  // something is not finite: the rest of the update is left out
  std::int32_t* bad = nullptr;   // [2]: a gradient of the critics, of the actor
  TrainedView actor, critic;
};

struct Item {
  const AgentView* view = nullptr;
  const std::int32_t* slots = nullptr;  // of the host, as what follows
  const std::int32_t* staged_slots = nullptr;
  const float* staged_rows = nullptr;
  UpdateOutput* output = nullptr;
  std::int32_t staged = 0;
  std::int32_t act_rows = 0;
  Rng noise;
  float alpha = 0;
  double log_alpha = 0;
  nn::AdamSizes critics, actor;
  bool actor_due = false, moves_targets = false;
};

}  // namespace tarl::fleet::actor_critic
