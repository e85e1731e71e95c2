// SPDX-License-Identifier: MIT
#include "tarl/core/ready_set.h"

#include <bit>

#include "tarl/core/cpu_pause.h"
#include "tarl/core/error.h"

namespace tarl {

namespace {

constexpr int kWordBits = 64;

// How often a taker polls the set before it sleeps, some 10 us: the next number often arrives that
// soon, and waking up costs as much. Longer would take the core from the thread that puts it there.
constexpr int kLooks = 200;

}  // namespace

// All operations are sequentially consistent, the default: takers and sleepers_ need it, and a
// read-modify-write costs the same in any order.
ReadySet::ReadySet(int numbers, int homes)
    : numbers_(numbers),
      homes_(homes),
      words_((numbers + homes * kWordBits - 1) / (homes * kWordBits)),
      sets_(static_cast<std::size_t>(homes * words_)) {
  require(numbers > 0 && homes > 0, "a set of nothing");
}

ReadySet::Place ReadySet::place_of(int number) {
  require(number >= 0 && number < numbers_, "a number beyond the set");
  const int home = number % homes_, at = number / homes_;
  const int word = home * words_ + at / kWordBits;
  return {sets_[static_cast<std::size_t>(word)], std::uint64_t{1} << (at % kWordBits)};
}

void ReadySet::put(int number) {
  const Place place = place_of(number);
  const std::uint64_t before = place.word.bits.fetch_or(place.bit);
  require((before & place.bit) == 0, "put into the set twice");
  if (sleepers_.load() == 0) return;
  wakeups_.fetch_add(1);
  wakeups_.notify_one();
}

bool ReadySet::remove(int number) {
  const Place place = place_of(number);
  return (place.word.bits.fetch_and(~place.bit) & place.bit) != 0;
}

std::optional<int> ReadySet::take_from(int home) {
  const int first = home * words_;
  Word* const words = &sets_[static_cast<std::size_t>(first)];
  const int start = words->next.load(std::memory_order_relaxed);
  const std::uint64_t from_start = ~std::uint64_t{0} << (start % kWordBits);
  // The word of `start` is visited twice: first for the bits from there on, at the end for those
  // before.
  for (int turn = 0; turn <= words_; ++turn) {
    const int at = (start / kWordBits + turn) % words_;
    const std::uint64_t mask = turn == 0        ? from_start
                               : turn == words_ ? ~from_start
                                                : ~std::uint64_t{0};
    std::uint64_t bits = words[at].bits.load() & mask;
    while (bits != 0) {
      const int lowest = std::countr_zero(bits);
      const std::uint64_t bit = std::uint64_t{1} << lowest;
      const std::uint64_t before = words[at].bits.fetch_and(~bit);
      if ((before & bit) == 0) {  // another thread was faster
        bits = before & mask & ~bit;
        continue;
      }
      const int place = at * kWordBits + lowest;
      words->next.store((place + 1) % (words_ * kWordBits), std::memory_order_relaxed);
      return place * homes_ + home;
    }
  }
  return std::nullopt;
}

std::optional<int> ReadySet::try_take(int home) {
  for (int other = 0; other < homes_; ++other) {
    if (const auto number = take_from((home + other) % homes_)) return number;
  }
  return std::nullopt;
}

std::optional<int> ReadySet::take(int home) {
  for (int look = 0; look < kLooks; ++look) {
    if (closed_.load()) return std::nullopt;
    if (const auto number = try_take(home)) return number;
    cpu_pause();
  }
  while (true) {
    sleepers_.fetch_add(1);
    const int seen = wakeups_.load();
    std::optional<int> number;
    const bool closed = closed_.load();
    if (!closed) number = try_take(home);
    if (!closed && !number) wakeups_.wait(seen);
    sleepers_.fetch_sub(1);
    if (closed || number) return number;
  }
}

void ReadySet::close() {
  closed_.store(true);
  wakeups_.fetch_add(1);
  wakeups_.notify_all();
}

}  // namespace tarl
