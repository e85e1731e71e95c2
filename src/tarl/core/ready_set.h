// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace tarl {

// What is ready to be worked on: a set of numbers below a bound, which any thread may put into and
// take from. It takes the place of a queue between producers and consumers.
//
// Why not a queue: a number is in it at most once, so one bit holds it. There is no capacity to
// exceed, no node to allocate or reclaim, no lock that a preempted thread could hold: put and take
// are one atomic read-modify-write each. Order of arrival is not kept; work whose results may not
// depend on it does not need it. Instead number n has a home, n modulo `homes`, on its own cache
// line. A thread takes from its home first, so that its data stay in its cache and other threads
// stay off its line, and from the others when its home is empty. Within a home it takes
// round-robin, so that nothing waits for more than one round of everything else.
//
// Ordering: everything a thread wrote before put(n) is visible to the thread whose take returns n.
class ReadySet {
 public:
  ReadySet(int numbers, int homes);

  // Requires 0 <= number < numbers, and that the number is not in the set.
  void put(int number);

  // Takes one out; nothing if the set is empty.
  std::optional<int> try_take(int home);

  // Takes one out, waiting for it: spins for some microseconds, then sleeps. Nothing once the set
  // is closed, whatever is left in it.
  std::optional<int> take(int home);

  // Takes this one out; false if it is not in the set.
  bool remove(int number);

  void close();  // for good

  bool closed() const { return closed_.load(std::memory_order_acquire); }

 private:
  struct alignas(64) Word {
    std::atomic<std::uint64_t> bits{0};
    std::atomic<int> next{0};  // where the next search of this home starts; in its first word
  };

  struct Place {
    Word& word;
    std::uint64_t bit;
  };

  Place place_of(int number);
  std::optional<int> take_from(int home);

  int numbers_, homes_, words_;  // words per home
  std::vector<Word> sets_;       // [homes][words]
  // A thread about to sleep counts itself and checks again; a thread that puts then looks for
  // sleepers. In the total order of sequentially consistent operations, one of them sees the other.
  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<int> wakeups_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace tarl
