// SPDX-License-Identifier: MIT
#include "tarl/core/core_pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "tarl/core/machine.h"

namespace tarl {

namespace {

// For an idle thread.
constexpr int kRoundsAwake = 2000;
constexpr std::chrono::microseconds kNap{50};

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& problem) {
    return problem.what();
  } catch (...) {
    return "an exception without a text";
  }
}

}  // namespace

CorePool::CorePool(const Options& options)
    : meanwhile_(options.meanwhile),
      groups_(static_cast<std::size_t>(options.items)),
      items_(groups_.size()),
      asked_(options.items, static_cast<int>(options.cpus.size())),
      arrived_(options.items, 1) {
  for (int item = options.items - 1; item >= 0; --item) free_items_.push_back(item);
  try {
    for (const int cpu : options.cpus) {
      threads_.emplace_back([this, thread = static_cast<int>(threads_.size())] { serve(thread); });
      if (pin_thread(threads_.back(), cpu)) ++pinned_;
    }
  } catch (const std::system_error& problem) {
    stop();
    throw Error("cannot start " + std::to_string(options.cpus.size()) +
                " threads: " + problem.what() + "; ask for fewer");
  }
}

CorePool::~CorePool() {
  stop();
}

void CorePool::stop() {
  asked_.close();
  for (std::thread& thread : threads_) thread.join();
}

int CorePool::add(std::string name, std::string item_name, int items, Work work) {
  require(items > 0, "a group of nothing");
  if (static_cast<std::size_t>(items) > free_items_.size()) {
    throw Error("'" + name + "' needs " + std::to_string(items) + " places in a pool that has " +
                std::to_string(free_items_.size()) + " left; run fewer at a time");
  }
  // There are as many groups as items, so one is free.
  const auto at = std::find(groups_.begin(), groups_.end(), nullptr);
  const int number = static_cast<int>(at - groups_.begin());
  *at = std::make_unique<Group>();
  Group& group = **at;
  group.name = std::move(name);
  group.item_name = std::move(item_name);
  group.work = std::move(work);
  for (int index = 0; index < items; ++index) {
    const int item = free_items_.back();
    free_items_.pop_back();
    group.items.push_back(item);
    items_[static_cast<std::size_t>(item)] = {&group, number, index, nullptr};
  }
  return number;
}

void CorePool::remove(int number) {
  auto& group = groups_[static_cast<std::size_t>(number)];
  if (group->busy) {
    while (!arrived_.remove(number)) std::this_thread::yield();
    busy_.fetch_sub(1);
  }
  for (const int item : group->items) {
    items_[static_cast<std::size_t>(item)] = {};
    free_items_.push_back(item);
  }
  // Smallest first: adjacent numbers have different home threads.
  std::sort(free_items_.rbegin(), free_items_.rend());
  group = nullptr;
}

void CorePool::start(int number, std::span<const int> items) {
  Group& group = *groups_[static_cast<std::size_t>(number)];
  require(!group.busy && !items.empty(), "a group that cannot be started now");
  require(!group.failed.load(std::memory_order_relaxed), "a group whose work has failed");
  group.busy = true;
  busy_.fetch_add(1);
  group.under_way.store(static_cast<int>(items.size()), std::memory_order_relaxed);
  for (const int item : items) asked_.put(group.items[static_cast<std::size_t>(item)]);
}

void CorePool::serve(int thread) {
  if (meanwhile_) {
    serve_meanwhile(thread);
    return;
  }
  while (const auto item = asked_.take(thread)) call(items_[static_cast<std::size_t>(*item)]);
}

void CorePool::serve_meanwhile(int thread) {
  int idle = 0;
  while (!asked_.closed()) {
    const auto item = asked_.try_take(thread);
    if (item) call(items_[static_cast<std::size_t>(*item)]);
    const bool done = meanwhile_();
    idle = item || done ? 0 : idle + 1;
    if (idle > kRoundsAwake) std::this_thread::sleep_for(kNap);
  }
}

void CorePool::call(Item& item) {
  Group& group = *item.group;
  const int number = item.group_number;
  try {
    group.work(item.index);
  } catch (...) {
    item.failure = std::current_exception();
    group.failed.store(true, std::memory_order_relaxed);
  }
  // From here on, this thread no longer owns any of the group unless its call was the last.
  if (group.under_way.fetch_sub(1, std::memory_order_acq_rel) == 1) arrived_.put(number);
}

std::optional<int> CorePool::receive() {
  if (busy_.load() == 0) return std::nullopt;
  return hand_over(*arrived_.take(0));
}

std::optional<int> CorePool::try_receive() {
  const auto group = arrived_.try_take(0);
  if (!group) return std::nullopt;
  return hand_over(*group);
}

int CorePool::hand_over(int number) {
  Group& group = *groups_[static_cast<std::size_t>(number)];
  group.busy = false;
  busy_.fetch_sub(1);
  if (!group.failed.load(std::memory_order_relaxed)) return number;
  for (const int at : group.items) {
    const Item& item = items_[static_cast<std::size_t>(at)];
    if (item.failure == nullptr) continue;
    throw GroupFailure(number, item.failure,
                       group.name + ", " + group.item_name + " " + std::to_string(item.index) +
                           ": " + text_of(item.failure));
  }
  require(false, "a group failed without a reason");
  return number;
}

}  // namespace tarl
