// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "tarl/fleet/cuda/device_memory.cuh"

namespace tarl::fleet {

// Host memory that the device reads and writes.
template <class T>
class Pinned {
 public:
  explicit Pinned(std::int64_t count) {
    check(cudaHostAlloc(&data_, static_cast<std::size_t>(count) * sizeof(T), cudaHostAllocMapped),
          "asking for memory");
  }

  ~Pinned() { cudaFreeHost(data_); }

  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

inline constexpr int kMostItems = 1024;  // agents in a wave

enum class Answer { kNone, kAsked, kUnderWay, kThere };

// Agents whose kernels run together, on one stream. Each launch is as large as the largest agent of
// the wave needs.
template <class Item, class WaveSize>
class Wave {
 public:
  using Launch = cudaError_t (*)(const Item*, const WaveSize&, cudaStream_t);

  // With `first`, its blocks are scheduled ahead of those of other waves.
  explicit Wave(Launch launch, bool first = false) : launch_(launch), staging_(kMostItems) {
    memory_.reserve(items_, kMostItems);
    memory_.place();
    int last = 0, foremost = 0;
    check(cudaDeviceGetStreamPriorityRange(&last, &foremost), "asking for priorities");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, first ? foremost : last),
          "making a stream");
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
  }

  ~Wave() {
    cudaStreamSynchronize(stream_);
    cudaEventDestroy(event_);
    cudaStreamDestroy(stream_);
  }

  Wave(const Wave&) = delete;
  Wave& operator=(const Wave&) = delete;

  // Joins the next begin(); `answer` tells the progress.
  void ask(const Item& item, const WaveSize& needs, Answer& answer) {
    answer = Answer::kAsked;
    asked_.push_back({item, needs, &answer});
  }

  bool begin() {
    if (!under_way_.empty() || asked_.empty()) return false;
    const auto count = std::min(asked_.size(), static_cast<std::size_t>(kMostItems));
    under_way_.assign(asked_.begin(), asked_.begin() + static_cast<std::ptrdiff_t>(count));
    asked_.erase(asked_.begin(), asked_.begin() + static_cast<std::ptrdiff_t>(count));
    WaveSize size;
    for (const Asked& one : under_way_) {
      staging_.get()[size.items] = one.item;
      size.join(one.needs);
      *one.answer = Answer::kUnderWay;
    }
    check(cudaMemcpyAsync(items_, staging_.get(), count * sizeof(Item), cudaMemcpyHostToDevice,
                          stream_),
          "sending a wave");
    check(launch_(items_, size, stream_), "starting a wave");
    check(cudaEventRecord(event_, stream_), "starting a wave");
    return true;
  }

  bool end() {
    if (under_way_.empty()) return false;
    const cudaError_t result = cudaEventQuery(event_);
    if (result == cudaErrorNotReady) return false;
    check(result, "running a wave");
    for (const Asked& one : under_way_) *one.answer = Answer::kThere;
    under_way_.clear();
    return true;
  }

  // Waits for the wave if it is running, and withdraws the request if it is not.
  void leave(const Answer& answer) {
    std::erase_if(asked_, [&](const Asked& one) { return one.answer == &answer; });
    if (answer != Answer::kUnderWay) return;
    cudaStreamSynchronize(stream_);
    for (const Asked& one : under_way_) *one.answer = Answer::kThere;
    under_way_.clear();
  }

  // Starts at once and waits.
  void run_now(const Item& item, const WaveSize& needs) {
    Answer answer = Answer::kNone;
    ask(item, needs, answer);
    begin();
    check(cudaStreamSynchronize(stream_), "storing transitions");
    end();
  }

 private:
  struct Asked {
    Item item;
    WaveSize needs;
    Answer* answer;
  };

  Launch launch_;
  std::vector<Asked> asked_, under_way_;
  Pinned<Item> staging_;
  DeviceMemory memory_;
  Item* items_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

// The waves of all agents of a program. Acts go first: they are short, and environments wait for
// them. Stores are waited for; acts and updates start and end in turn().
template <class Item, class WaveSize>
struct AgentWaves {
  using Launch = typename Wave<Item, WaveSize>::Launch;

  AgentWaves(Launch act, Launch update, Launch store)
      : acts(act, true), updates(update), stores(store) {}

  Wave<Item, WaveSize> acts, updates, stores;

  // Whether anything started or ended.
  bool turn() {
    const bool ended = acts.end() | updates.end();
    const bool begun = acts.begin() | updates.begin();
    return ended || begun;
  }
};

// One agent's requests: at most one act and one update at a time. Its destructor waits for both, so
// it is declared after everything that their kernels read or write.
template <class Item, class WaveSize>
class AgentRequests {
 public:
  using Waves = AgentWaves<Item, WaveSize>;

  explicit AgentRequests(std::shared_ptr<Waves> waves) : waves_(std::move(waves)) {}

  ~AgentRequests() {
    waves_->acts.leave(acted_);
    waves_->updates.leave(updated_);
  }

  AgentRequests(const AgentRequests&) = delete;
  AgentRequests& operator=(const AgentRequests&) = delete;

  void act(const Item& item, const WaveSize& needs) { waves_->acts.ask(item, needs, acted_); }

  void update(const Item& item, const WaveSize& needs) {
    waves_->updates.ask(item, needs, updated_);
  }

  void store_now(const Item& item, const WaveSize& needs) { waves_->stores.run_now(item, needs); }

  bool acted() const { return acted_ == Answer::kThere; }

  // Once for each update.
  bool updated() {
    if (updated_ != Answer::kThere) return false;
    updated_ = Answer::kNone;
    return true;
  }

 private:
  std::shared_ptr<Waves> waves_;
  Answer acted_ = Answer::kNone, updated_ = Answer::kNone;
};

}  // namespace tarl::fleet
