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
// inputs. begin(), act(), evaluate() and sync_target() end with a barrier of the block, or of the
// cluster if several blocks share the agent: their results are visible to every thread. end() and
// update() need not: synchronise before using their results. boards(), free_smem() and ask_ahead()
// do not synchronise, and single warps may call the first two.
namespace tarl::fleet {

// What the first warps do while parameters move, each its own.
enum class Beside : std::int32_t { kPlay, kPrepare, kPrepareMore, kLog };
inline constexpr int kBesideWarps = 4;

// Rows of boards of the candidates.
struct BoardRows {
  std::byte *obs, *next_obs;
  int row_bytes;
};

namespace net_concept {

// What update() is given.
struct DoBeside {
  __device__ void operator()(Beside what, bool goes_on = true) const;
};

}  // namespace net_concept

template <class N>
concept AgentNet = std::default_initializable<N> && requires(N net, int rows, bool act) {
  // The program's part of the block's shared memory, `s` below.
  {N::shared().spec};

  // The first and the last thing of a slice: parameters come to where they are used, and go back to
  // the device's memory. spec, view and state are in `s` by then.
  { net.begin() } -> std::same_as<void>;
  { net.end() } -> std::same_as<void>;

  // Reads s.act_obs of `rows` observations, writes s.act_q.
  { net.act(rows) } -> std::same_as<void>;

  // Where gathered observations go, and whether that is shared memory. Free from the moment
  // update() calls `beside`, so that the next rows can be gathered there, until evaluate().
  { net.boards() } -> std::same_as<BoardRows>;
  { N::kBoardsInShared } -> std::convertible_to<bool>;

  // May start loads for evaluate(), as early as parameters and target are what they will be then.
  { net.ask_ahead() } -> std::same_as<void>;

  // Reads the gathered rows with s.action, s.reward and s.discount; writes s.q, s.y_offline and,
  // where the spec asks for it, s.y_online; with `act` also s.act_q of the first observation in
  // s.act_obs. May use s.kept.
  { net.evaluate(act) } -> std::same_as<void>;

  // Shared memory that is the caller's from evaluate() to update().
  { net.free_smem() } -> std::same_as<void*>;

  // One optimiser step on the rows s.kept with gradients s.slope of their predictions; writes
  // s.grad_norm. Each of the first kBesideWarps warps calls `beside` once, as a warp, when the
  // gradient is known to be finite. False, nothing changed and nothing called, where it is not.
  { net.update(net_concept::DoBeside{}) } -> std::same_as<bool>;

  // The target takes over the parameters, or a part of the way, as the spec says.
  { net.sync_target() } -> std::same_as<void>;
};

}  // namespace tarl::fleet
