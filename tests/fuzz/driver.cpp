// SPDX-License-Identifier: MIT
//
// Runs a fuzz target without libFuzzer: every file of the corpus folders, then deep and damaged
// copies of them until the time is over. usage: TARGET seconds folder... A seed in TARL_FUZZ_SEED
// repeats a run. An input that never ends is found by the time limit of the test.
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
  // A separate allocation, so that a sanitizer detects reads beyond its end.
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

// Behind an input, one thing in another in another: tables, lists, objects, folders.
std::vector<Input> deepened(const Input& input) {
  struct Nest {
    const char *head, *level, *tail;
  };

  constexpr Nest kNests[] = {{"\n[", "a.", "a]\n"}, {"\n[[", "a.", "a]]\n"},
                             {"\n", "a.", "a=1\n"}, {"\n", "set.\"a\".", "a=1\n"},
                             {"\na=", "{a=", "1"},  {"\na=", "{a.a.a.a.a.a.a=", "1"},
                             {"\na=", "[", "1"},    {"", "{\"a\":", "1"},
                             {"", "[", ""},         {"GET /", "a/", " HTTP/1.1\r\n\r\n"}};

  std::vector<Input> out;
  for (const auto& [head, level, tail] : kNests) {
    std::string text = head;
    for (int i = 0; i < 50'000; ++i) text += level;
    text += tail;
    Input& deep = out.emplace_back(input);
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    deep.insert(deep.end(), bytes, bytes + text.size());
  }
  return out;
}

std::vector<Input> read_corpus(int folders, char** folder) {
  std::vector<Input> corpus;
  for (int i = 0; i < folders; ++i) {
    for (const auto& entry : tarl::fs::recursive_directory_iterator(folder[i])) {
      if (entry.is_regular_file()) corpus.push_back(tarl::read_file(entry.path()));
    }
  }
  return corpus;
}

std::uint64_t choose_seed() {
  if (const char* given = std::getenv("TARL_FUZZ_SEED")) return std::strtoull(given, nullptr, 10);
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

}  // namespace

int main(int argc, char** argv) {
  const std::chrono::duration<double> seconds(argc > 1 ? std::atof(argv[1]) : 1.0);
  const std::vector<Input> corpus = read_corpus(argc - 2, argv + 2);
  if (corpus.empty()) {
    std::fprintf(stderr, "no corpus: name its folder\n");
    return 2;
  }
  const std::uint64_t seed = choose_seed();
  std::printf("TARL_FUZZ_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);  // a finding may end the program
  std::size_t runs = 0;
  for (const Input& input : corpus) {
    feed(input);
    ++runs;
    for (const Input& deep : deepened(input)) {
      feed(deep);
      ++runs;
    }
  }
  tarl::Rng rng = tarl::seeded(seed);
  const auto pick = [&]() -> const Input& {
    return corpus[rng.below(static_cast<std::uint32_t>(corpus.size()))];
  };
  const Clock::time_point started = Clock::now();
  while (Clock::now() - started < seconds) {
    Input input = rng.below(4) == 0 ? crossed(rng, pick(), pick()) : pick();
    for (std::uint32_t edits = rng.below(4); edits > 0 && !input.empty(); --edits) {
      input = tarl::test::mutated(rng, input);
    }
    feed(input);
    ++runs;
  }
  std::printf("%zu inputs, no finding\n", runs);
  return 0;
}
