// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace tarl {

// What is ready to be worked on: a set of numbers below a bound, which any thread puts into and any
// thread takes from. It stands where a queue would, between threads that ask and threads that do.
//
// Why not a queue: a number is in it at most once, so one bit holds it. There is no capacity to
// exceed, no node to allocate or reclaim, no lock that a preempted thread could hold: put and take
// are one atomic read-modify-write each. Order of arrival is not kept; it is of no use to work
// whose results may not depend on it. Instead number n has a home, n modulo `homes`, on a cache
// line of its own. A thread takes from its home first, so that what it works on stays in its
// cache and other threads stay off its line, and from the others when its home is empty. Within a
// home it goes round, so that nothing waits for more than one turn of everything else.
//
// Order: all that a thread wrote before put(n) is seen by the thread whose take returns n.
class ReadySet {
 public:
  ReadySet(int numbers, int homes);

  // Requires 0 <= number < numbers, and that the number is not in the set.
  void put(int number);

  // Takes one out; nothing where the set is empty.
  std::optional<int> try_take(int home);

  // Takes one out and waits for it: some microseconds awake, then asleep. Nothing once the set is
  // closed, whatever is left in it.
  std::optional<int> take(int home);

  // Takes this one out; false where it is not in the set.
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

  int numbers_, homes_, words_;  // words a home
  std::vector<Word> sets_;       // [homes][words]
  // Who is about to sleep counts itself and looks again; who puts looks for sleepers afterwards. In
  // the one order that all sequentially consistent operations have, one of them sees the other.
  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<int> wakeups_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace tarl
