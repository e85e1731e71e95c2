// SPDX-License-Identifier: MIT
//
// Runs a fuzz target where there is no libFuzzer: every file of the corpus folders, then damaged
// copies of them until the time is over. usage: TARGET seconds folder...
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fuzz/fuzz.h"
#include "support/garbage.h"

#include "tarl/core/files.h"

namespace {

using Clock = std::chrono::steady_clock;
using Input = std::vector<std::byte>;

void feed(const Input& input) {
  // A block of its own, so that a sanitizer sees a read behind its end.
  auto* copy = static_cast<std::uint8_t*>(std::malloc(input.size() + (input.empty() ? 1 : 0)));
  if (!input.empty()) std::memcpy(copy, input.data(), input.size());
  LLVMFuzzerTestOneInput(copy, input.size());
  std::free(copy);
}

// The head of one input and the tail of another.
Input crossed(tarl::Rng& rng, const Input& one, const Input& other) {
  Input out(one.begin(), one.begin() + rng.below(static_cast<std::uint32_t>(one.size()) + 1));
  out.insert(out.end(), other.begin() + rng.below(static_cast<std::uint32_t>(other.size()) + 1),
             other.end());
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::chrono::duration<double> seconds(argc > 1 ? std::atof(argv[1]) : 1.0);
  std::vector<Input> corpus;
  for (int i = 2; i < argc; ++i) {
    for (const auto& entry : tarl::fs::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) corpus.push_back(tarl::read_file(entry.path()));
    }
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "no corpus: name its folder\n");
    return 2;
  }
  for (const Input& input : corpus) feed(input);
  const Clock::time_point started = Clock::now();
  tarl::Rng rng = tarl::seeded(
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
  std::size_t runs = corpus.size();
  Clock::duration slowest{};
  const auto pick = [&]() -> const Input& {
    return corpus[rng.below(static_cast<std::uint32_t>(corpus.size()))];
  };
  while (Clock::now() - started < seconds) {
    Input input = rng.below(4) == 0 ? crossed(rng, pick(), pick()) : pick();
    for (std::uint32_t edits = rng.below(4); edits > 0 && !input.empty(); --edits) {
      input = tarl::test::mutated(rng, input);
    }
    const Clock::time_point before = Clock::now();
    feed(input);
    slowest = std::max(slowest, Clock::now() - before);
    ++runs;
  }
  std::printf("%zu inputs, slowest %.1f ms, no finding\n", runs,
              std::chrono::duration<double, std::milli>(slowest).count());
  return slowest < std::chrono::seconds(1) ? 0 : 1;
}
