// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

// What a kernel's loop requires of a network, that is, of the online network, the target network
// and their optimiser.
//
// A network object is stateless: any thread constructs one where it needs it. All state is in the
// block's shared memory, which shared() returns, and in global memory. In the program's part of
// shared memory a network writes only the fields named below; the rest of shared memory belongs to
// the network, and any member may overwrite it.
//
// The whole block calls each member, after a barrier that follows the last write to the member's
// inputs. begin(), act(), assess() and sync_target() end with a barrier of the block, or of the
// cluster if several blocks share the agent: their results are visible to every thread. end() and
// update() need not: synchronise before using their results. boards(), free_smem() and ask_ahead()
// do not synchronise, and single warps may call the first two.
namespace tarl::fleet {

// The tasks of the first warps during the parameter update, one per warp.
enum class Beside : std::int32_t { kPlay, kPrepare, kPrepareMore, kLog };
inline constexpr int kBesideWarps = 4;

// Boards of the candidates, one row per candidate.
struct BoardRows {
  std::byte *obs, *next_obs;
  int row_bytes;
};

namespace net_concept {

// The callback passed to update().
struct DoBeside {
  __device__ void operator()(Beside what, bool goes_on = true) const;
};

}  // namespace net_concept

template <class N>
concept AgentNet = std::default_initializable<N> && requires(N net, int rows, bool act) {
  // The program's part of the block's shared memory, `s` below.
  {N::shared().spec};

  // Called first and last in a slice: begin() brings parameters to where the network uses them,
  // end() writes them back to global memory. spec, view and state are already in `s`.
  { net.begin() } -> std::same_as<void>;
  { net.end() } -> std::same_as<void>;

  // Reads `rows` observations from s.act_obs and writes s.act_q.
  { net.act(rows) } -> std::same_as<void>;

  // Where gathered observations go, and whether that is shared memory. The memory is free from
  // update()'s call of `beside` until assess(), so that the next rows can be gathered into it.
  { net.boards() } -> std::same_as<BoardRows>;
  { N::kBoardsInShared } -> std::convertible_to<bool>;

  // May start loading for assess(). Called as soon as parameters and target have the values
  // assess() uses.
  { net.ask_ahead() } -> std::same_as<void>;

  // Reads the gathered rows with s.action, s.reward and s.discount; writes s.q, s.y_offline and, if
  // the spec requires it, s.y_online; with `act` also s.act_q of the first observation in
  // s.act_obs. May overwrite s.kept.
  { net.assess(act) } -> std::same_as<void>;

  // Shared memory that the caller may use between assess() and update().
  { net.free_smem() } -> std::same_as<void*>;

  // One optimiser step on the rows s.kept with gradients s.slope of their predictions; writes
  // s.grad_norm. Once the gradient is known to be finite, each of the first kBesideWarps warps
  // calls `beside` once, as a warp. If it is not, returns false, changes nothing and makes no call.
  { net.update(net_concept::DoBeside{}) } -> std::same_as<bool>;

  // Copies the parameters into the target, or moves it towards them by tau.
  { net.sync_target() } -> std::same_as<void>;
};

}  // namespace tarl::fleet
