// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tarl/core/rng.h"
#include "tarl/fleet/actor_critic/device.h"
#include "tarl/fleet/cuda/waves/product.h"

// An agent as kernels see it.
namespace tarl::fleet::actor_critic {

// Independent products each, in the order of an update.
enum class Phase : std::int32_t {
  kNext1,  // the actor on next observations
  kNext2,
  kNextHeads,
  kCritic1,  // the critics on observations and next observations
  kCritic2,
  kValues,
  kBackTop,  // the critics' gradients, and the actor on kept observations
  kBackHidden,
  kBackWeights,
  kPolicy1,  // the critics on the actor's actions
  kPolicy2,
  kPolicyValues,
  kSlopeHidden,  // and their gradient at those actions
  kSlopeAction,
  kActorBack2,  // the actor's gradients
  kActorBack1,
  kActorWeights,
  kAct1,  // acting
  kAct2,
  kActHeads,
};
inline constexpr int kPhases = 20;

struct TrainedView {
  float *values = nullptr, *target = nullptr, *grads = nullptr, *first = nullptr, *second = nullptr;
  float* largest_slope = nullptr;  // fp16: at the networks' outputs, in an update
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
  std::int32_t* stop = nullptr;  // something is not finite: the rest of the update is skipped
  std::int32_t* bad = nullptr;   // [2]: a gradient of the critics or of the actor is not finite
  TrainedView actor, critic;
};

struct Item {
  const AgentView* view = nullptr;
  const std::int32_t* slots = nullptr;  // in host memory, as the next three
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

  TARL_HOST_DEVICE bool leaves_out_optional() const { return !actor_due; }

  TARL_HOST_DEVICE bool stopped() const { return *view->stop != 0; }
};

}  // namespace tarl::fleet::actor_critic
