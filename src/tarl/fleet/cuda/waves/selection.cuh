// SPDX-License-Identifier: MIT
#pragma once

#include "tarl/fleet/cuda/waves/choice.cuh"

namespace tarl::fleet {

// What one block does for a whole update: targets, scores, the rows that are kept, and the slopes
// of their losses. A program derives its own class from this one, with
//   begin()       before anything else; a barrier follows
//   judge(row)    for each candidate, by one thread: notes its error and score in `choice_`
//   regress(i)    for each kept row, by one thread: its loss and slope
//   report()      the figures, once all of that is there.
// `Room` is shared memory with a ChoiceRoom called `choice`.
template <class Own, class Item, class Room>
class BlockSelection {
 public:
  __device__ BlockSelection(const PlaceOf<Item>& place, Room& room)
      : item_(place.item),
        view_(place.view),
        room_(room),
        choice_(room.choice, view_.candidates, view_.batch, view_.scores, view_.discount) {}

  __device__ void run() {
    Own& own = static_cast<Own&>(*this);
    choice_.clear();
    own.begin();
    __syncthreads();
    for (int row = me(); row < view_.candidates; row += kBlockThreads) own.judge(row);
    __syncthreads();
    choice_.keep(view_.kept);
    for (int i = me(); i < view_.batch; i += kBlockThreads) own.regress(i);
    __syncthreads();
    own.report();
  }

 protected:
  __device__ static int me() { return thread_of_block(); }

  // Over the kept rows, by one thread.
  __device__ double mean(const double* of) const {
    double sum = 0;
    for (int i = 0; i < view_.batch; ++i) sum += of[i];
    return sum / static_cast<double>(view_.batch);
  }

  const Item& item_;
  decltype(*Item::view) view_;
  Room& room_;
  Choice choice_;
};

}  // namespace tarl::fleet
