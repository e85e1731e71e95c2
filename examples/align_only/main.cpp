// SPDX-License-Identifier: MIT
//
// The score and the filter in a custom training loop: tabular Q-learning with a lagged target table
// on a 20-state chain. Only tarl/align/align.h is needed; it depends on nothing.
#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <vector>

#include <tarl/align/align.h>

namespace {

constexpr int kStates = 20;
constexpr double kGamma = 0.95;
using Table = std::array<std::array<double, 2>, kStates>;  // value of stepping left and right

struct Transition {
  int state, action, next;
  double reward;
};

double best(const Table& table, int state) {
  return std::max(table[state][0], table[state][1]);
}

// Learns from replayed random steps with m = 8 of m + b candidates; returns the remaining error.
double train(int oversampling) {
  std::mt19937 rng(1);
  std::vector<Transition> memory;
  for (int state = 0; state < kStates; ++state) {
    for (int action = 0; action < 2; ++action) {
      const int next = std::clamp(state + (action == 1 ? 1 : -1), 0, kStates - 1);
      memory.push_back({state, action, next, next == kStates - 1 ? 1.0 : 0.0});
    }
  }
  Table online{}, target{};
  for (int update = 0; update < 4000; ++update) {
    if (update % 100 == 0) target = online;
    std::vector<Transition> candidates;
    std::vector<double> scores;
    for (int i = 0; i < 8 + oversampling; ++i) {
      const Transition& t = memory[rng() % memory.size()];
      const double q = online[t.state][t.action];
      const double online_error = t.reward + kGamma * best(online, t.next) - q;
      const double offline_error = t.reward + kGamma * best(target, t.next) - q;
      candidates.push_back(t);
      scores.push_back(tarl::align::alignment_score(online_error, offline_error));
    }
    for (const int row : tarl::align::keep_best(scores, 8)) {
      const Transition& t = candidates[row];
      double& q = online[t.state][t.action];
      q += 0.2 * (t.reward + kGamma * best(target, t.next) - q);
    }
  }
  return 20.0 - best(online, kStates - 1);  // the true value is 1 / (1 - gamma) = 20
}

}  // namespace

int main() {
  const double plain = train(0), aligned = train(8);
  std::printf("error left after 4000 updates: plain %.4f, target-aligned %.4f\n", plain, aligned);
  return aligned < plain && aligned >= 0 ? 0 : 1;
}
