// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

namespace tarl {

// A half-open range of work items.
struct Range {
  int begin = 0;
  int end = 0;

  int size() const { return end - begin; }
};

// The share of n items that belongs to member `rank` of `count`, in blocks of `grain` items.
// The shares cover 0..n once, in order.
inline Range share(int n, int rank, int count, int grain = 1) {
  const long blocks = (n + grain - 1) / grain;
  const auto edge = [&](int r) {
    const long at = blocks * r / count * grain;
    return static_cast<int>(at < n ? at : n);
  };
  return {edge(rank), edge(rank + 1)};
}

// A fixed team of threads that run the same function together. Work is split by output element,
// never inside a sum, so results do not depend on the size of the team.
class Team {
 public:
  // Throws Error if the system refuses that many threads.
  explicit Team(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_; }

  // Runs work(rank) on every member and returns when all are done. Rank 0 is the caller. An
  // exception thrown by a member is rethrown here, after all have stopped; work that meets at
  // barriers must not throw between them.
  template <class Work>
  void run(Work&& work) {
    if (size_ == 1) {
      work(0);
      return;
    }
    using Plain = std::remove_reference_t<Work>;
    run_all([](void* context, int rank) { (*static_cast<Plain*>(context))(rank); },
            const_cast<void*>(static_cast<const void*>(&work)));
  }

  // Waits for every member. Call it the same number of times on each.
  void barrier();

 private:
  using Call = void (*)(void*, int);
  void run_all(Call call, void* context);
  void member_loop(int rank);
  void invoke(int rank);
  void stop();

  int size_;
  Call call_ = nullptr;
  void* context_ = nullptr;
  std::atomic<int> generation_{0};
  std::atomic<int> done_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<int> waiting_{0};
  std::atomic<int> phase_{0};
  std::vector<std::exception_ptr> failures_;
  std::vector<std::thread> threads_;
};

}  // namespace tarl
