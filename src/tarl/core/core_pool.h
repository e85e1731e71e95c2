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

// Work of a group that threw. The group can then only be looked at and removed; others go on.
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
// with one function; starting it asks for a call work(item) for each of them, and receive() gives
// back, in any order, a group whose calls have all returned. Which thread makes a call, and when,
// is chance: work must depend on its item alone.
//
//     start ──► items asked for ──► threads: work(item) ──► groups that arrived ──► receive
//               (ReadySet)          last one of a group      (ReadySet)
//
// Who writes what, between which operations. A group and all that its work touches have one owner
// at a time and no lock:
//   - its caller, from add() or from the receive() that gave it back, until start();
//   - from start() on the threads, each the items it took and nothing else;
//   - and from the end of the last call its caller again, once receive() has given it back.
// Three edges pass the memory on: putting an item and taking it (ReadySet); the group's count of
// calls under way, which every call lowers when it returns, so that the last one has seen the
// others; and putting the group among those that arrived and receiving it.
//
// Groups are added and removed by one thread at a time. Apart from that any thread may call
// anything, for each group one at a time; but who receives may be given any group.
class CorePool {
 public:
  using Work = std::function<void(int item)>;

  struct Options {
    // A thread for each, pinned to that processor (see usable_cpus()). Where the system does not
    // allow it, and for a negative number, the thread runs wherever the system puts it: the
    // results are the same, caches are colder. A processor may be named more than once.
    std::vector<int> cpus;
    int items = 4096;  // of all groups together, at most
    // Called by every thread after each call and again and again while nothing is asked for, by
    // several at a time: so whoever gives out work needs no thread of its own. Says whether it got
    // something done; where it does not for long, threads sleep a little in between.
    std::function<bool()> meanwhile = {};
  };

  // Throws Error where the system refuses that many threads.
  explicit CorePool(const Options& options);

  // Calls under way come to their end, those not begun are dropped.
  ~CorePool();
  CorePool(const CorePool&) = delete;
  CorePool& operator=(const CorePool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }

  int pinned_threads() const { return pinned_; }

  // A new group of items 0..items-1. `name` and `item_name` are for messages: "run-3",
  // "environment". Throws Error where the pool has no room for it.
  int add(std::string name, std::string item_name, int items, Work work);

  // Forgets the group; waits for its calls where some are asked for, and drops what they threw. No
  // other thread may be receiving meanwhile.
  void remove(int group);

  // Asks for a call for each of these items, and returns at once. Requires at least one, none
  // twice, and a group that is not busy and has not failed.
  void start(int group, std::span<const int> items);

  // Asked for, and not yet given back by receive().
  bool busy(int group) const { return groups_[static_cast<std::size_t>(group)]->busy; }

  // Waits for a group whose calls have all returned. Nothing where none is busy. Throws
  // GroupFailure where one of its calls threw: the one of the smallest item.
  std::optional<int> receive();

  // The same without waiting: nothing where no group has arrived.
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
