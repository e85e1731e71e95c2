// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tarl/core/error.h"
#include "tarl/core/ready_set.h"

namespace tarl {

// A group's work threw. The group can then only be inspected and removed; others continue.
class GroupFailure : public Error {
 public:
  GroupFailure(int group, std::exception_ptr cause, const std::string& message)
      : Error(message), group_(group), cause_(std::move(cause)) {}

  int group() const { return group_; }

  // What the work threw.
  const std::exception_ptr& cause() const { return cause_; }

 private:
  int group_;
  std::exception_ptr cause_;
};

// Threads that stay on their cores and work for many groups at once. A group is a number of items
// with one function; starting it requests a call work(item) for each of them, and receive()
// returns, in any order, a group whose calls have all returned. Which thread makes a call, and
// when, is unspecified: work must depend on its item alone.
//
//     start ──► items asked for ──► threads: work(item) ──► groups that arrived ──► receive
//               (ReadySet)          last one of a group      (ReadySet)
//
// Who writes what, between which operations. A group and everything its work touches have one owner
// at a time and no lock:
//   - its caller, from add() or from the receive() that gave it back, until start();
//   - from start() on, the threads, each only the items it took;
//   - after the last call, its caller again, once receive() has returned it.
// Three happens-before edges hand the memory over: putting an item and taking it (ReadySet); the
// group's count of outstanding calls, which every call decrements when it returns, so that the last
// one has seen the others; and putting the group among those that arrived and receiving it.
//
// Groups are added and removed by one thread at a time. Otherwise any thread may call any function,
// one at a time per group; but a receiver may be given any group.
class CorePool {
 public:
  using Work = std::function<void(int item)>;

  struct Options {
    // One thread per entry, pinned to that processor (see usable_cpus()). If the system does not
    // allow it, or for a negative number, the thread is not pinned: the results are the same,
    // caches are colder. A processor may be listed more than once.
    std::vector<int> cpus;
    int items = 4096;  // at most, over all groups
    // Called by every thread after each call and repeatedly while there is no work, possibly by
    // several at once, so that the producer of work needs no thread of its own. Returns whether it
    // got anything done; if not for long, threads sleep briefly in between.
    std::function<bool()> meanwhile = {};
  };

  // Throws Error if the system refuses that many threads.
  explicit CorePool(const Options& options);

  // Outstanding calls finish; those not begun are dropped.
  ~CorePool();
  CorePool(const CorePool&) = delete;
  CorePool& operator=(const CorePool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }

  int pinned_threads() const { return pinned_; }

  // A new group of items 0..items-1. `name` and `item_name` are for messages: "run-3",
  // "environment". Throws Error if the pool is full.
  int add(std::string name, std::string item_name, int items, Work work);

  // Removes the group; waits for its outstanding calls and discards their exceptions. No other
  // thread may be receiving meanwhile.
  void remove(int group);

  // Requests a call for each of these items, and returns at once. Requires at least one item, no
  // duplicates, and a group that is neither busy nor failed.
  void start(int group, std::span<const int> items);

  // Started, and not yet returned by receive().
  bool busy(int group) const { return groups_[static_cast<std::size_t>(group)]->busy; }

  // Waits for a group whose calls have all returned. Nothing if none is busy. Throws GroupFailure
  // if any of its calls threw, with the exception of the smallest item.
  std::optional<int> receive();

  // The same without waiting: nothing if no group has arrived.
  std::optional<int> try_receive();

 private:
  struct Group {
    std::string name, item_name;
    Work work;
    std::vector<int> items;  // their numbers in the pool
    bool busy = false;       // the caller's
    std::atomic<bool> failed{false};
    alignas(64) std::atomic<int> under_way{0};
  };

  struct Item {
    Group* group = nullptr;
    int group_number = 0;
    int index = 0;  // in its group
    std::exception_ptr failure;
  };

  void serve(int thread);
  void serve_meanwhile(int thread);
  void call(Item& item);
  int hand_over(int group);
  void stop();

  const std::function<bool()> meanwhile_;
  std::vector<std::unique_ptr<Group>> groups_;  // null: free
  std::vector<Item> items_;
  std::vector<int> free_items_;  // descending
  ReadySet asked_;               // items, at home with a thread
  ReadySet arrived_;             // groups
  std::atomic<int> busy_{0};     // groups
  int pinned_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace tarl
