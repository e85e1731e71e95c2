// SPDX-License-Identifier: MIT
//
// Agent-updates per second of SAC and TA-SAC on the GPU, with the shapes of six environments, for
// one agent and for 60. No simulator runs: every agent requests its next update as soon as it
// receives the previous one.
//
//   bench_control_fleet [--json] [--seconds S] [--agents N]... [--precision P]... [SHAPE]...
//   bench_control_fleet --shapes        prints the shapes as JSON; needs no GPU
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "asked_updates.h"

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/fleet/actor_critic/agent.h"
#include "tarl/fleet/device.h"

namespace {

using namespace tarl;  // NOLINT(google-build-using-namespace)

struct Shape {
  const char* name;
  int obs, actions;
};

constexpr Shape kShapes[] = {{"Ant", 27, 8},        {"BipedalWalker", 24, 4}, {"Hopper", 11, 3},
                             {"Humanoid", 376, 17}, {"Swimmer", 8, 2},        {"Walker2d", 17, 6}};
constexpr std::uint32_t kRows = 10'000;  // rows of a replay
constexpr const char* kAlgorithms[] = {"sac", "ta-sac"};
constexpr const char* kPrecisions[] = {"f32", "fp16"};

rl::EnvSpec spec_of(const Shape& shape) {
  rl::EnvSpec spec;
  spec.obs.width = shape.obs;
  spec.action.size = shape.actions;
  return spec;
}

class Fleet {
 public:
  Fleet(const Shape& shape, const char* algo, int agents, const std::string& precision)
      : config_(train::resolve({.algo = algo,
                                .env = "classic/pendulum",
                                .set = {"target_entropy=-1", "buffer_size=" + std::to_string(kRows),
                                        "fleet.precision=" + precision}})),
        spec_(spec_of(shape)),
        device_(fleet::actor_critic::make_device()) {
    for (int i = 0; i < agents; ++i) add(i);
  }

  // Updates per second of all agents together.
  double rate(double seconds) {
    return updates_.per_second(seconds, [&] { device_->turn(); });
  }

 private:
  void add(int number) {
    Rng rng = seeded(static_cast<std::uint64_t>(number));
    const Tensors loop = bench::fresh_agent(config_, spec_, rng);
    const replay::Storage empty(spec_.obs, spec_.action, kRows, 1);
    auto agent = std::make_unique<fleet::actor_critic::Agent>(
        *device_, config_, spec_, StateReader(loop, "benchmark"), empty);
    std::vector<float> row(static_cast<std::size_t>(2 * spec_.obs.size() + spec_.action.size + 2));
    for (std::int64_t slot = 0; slot < kRows; ++slot) {
      for (float& value : row) value = static_cast<float>(2 * rng.uniform() - 1);
      row.back() = 0.99F;
      agent->networks().store(slot, row);
    }
    updates_.add(std::move(agent),
                 static_cast<std::size_t>(config_.batch_size + config_.oversampling()));
  }

  const train::RunConfig config_;
  const rl::EnvSpec spec_;
  std::shared_ptr<fleet::actor_critic::Device> device_;
  bench::AskedUpdates updates_{kRows};
};

struct Asked {
  bool json = false, shapes = false;
  double seconds = 2;
  std::vector<int> agents;
  std::vector<std::string> precisions;
  std::vector<Shape> of;
};

void add_shape(const std::string& name, Asked& asked) {
  const auto* shape = std::find_if(std::begin(kShapes), std::end(kShapes),
                                   [&](const Shape& one) { return one.name == name; });
  if (shape == std::end(kShapes)) throw UsageError("no shape is called '" + name + "' (--shapes)");
  asked.of.push_back(*shape);
}

void add_precision(const std::string& name, Asked& asked) {
  if (std::find(std::begin(kPrecisions), std::end(kPrecisions), name) == std::end(kPrecisions)) {
    throw UsageError("--precision is f32 or fp16, not '" + name + "'");
  }
  asked.precisions.push_back(name);
}

Asked asked_for(int argc, char** argv) {
  Asked asked;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto next = [&] {
      if (i + 1 == argc) throw UsageError(word + " needs a value");
      return argv[++i];
    };
    const auto number = [&] {
      const double value = std::atof(next());
      if (value <= 0) throw UsageError(word + " needs a number above 0");
      return value;
    };
    if (word == "--json") {
      asked.json = true;
    } else if (word == "--shapes") {
      asked.shapes = true;
    } else if (word == "--seconds") {
      asked.seconds = number();
    } else if (word == "--agents") {
      asked.agents.push_back(std::max(1, static_cast<int>(number())));
    } else if (word == "--precision") {
      add_precision(next(), asked);
    } else {
      add_shape(word, asked);
    }
  }
  if (asked.agents.empty()) asked.agents = {1, 60};
  if (asked.precisions.empty()) {
    asked.precisions.assign(std::begin(kPrecisions), std::end(kPrecisions));
  }
  if (asked.of.empty()) asked.of.assign(std::begin(kShapes), std::end(kShapes));
  return asked;
}

void print_shapes(const std::vector<Shape>& shapes) {
  Json all = Json::array();
  for (const Shape& shape : shapes) {
    all.push_back({{"shape", shape.name}, {"obs", shape.obs}, {"actions", shape.actions}});
  }
  std::printf("%s\n", json_line(all).c_str());
}

void print_rate(const Shape& shape, const char* algo, const std::string& precision, int agents,
                double rate, bool json) {
  if (json) {
    const Json row = {{"shape", shape.name},
                      {"algo", algo},
                      {"precision", precision},
                      {"agents", agents},
                      {"updates_per_s", rate}};
    std::printf("%s\n", json_line(row).c_str());
  } else {
    std::printf("%-14s %-8s %-9s %8d %16.0f\n", shape.name, algo, precision.c_str(), agents, rate);
  }
  std::fflush(stdout);
}

int measure(const Asked& asked) {
  const fleet::DeviceInfo device = fleet::device_info();
  std::fprintf(asked.json ? stderr : stdout, "CUDA: %s\n", device.text.c_str());
  if (!device.found) return 1;
  if (!asked.json) {
    std::printf("%-14s %-8s %-9s %8s %16s\n", "shape", "algo", "precision", "agents",
                "agent-updates/s");
  }
  for (const Shape& shape : asked.of) {
    for (const char* algo : kAlgorithms) {
      for (const std::string& precision : asked.precisions) {
        for (const int agents : asked.agents) {
          Fleet fleet(shape, algo, agents, precision);
          print_rate(shape, algo, precision, agents, fleet.rate(asked.seconds), asked.json);
        }
      }
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Asked asked = asked_for(argc, argv);
    if (!asked.shapes) return measure(asked);
    print_shapes(asked.of);
    return 0;
  } catch (const Error& problem) {
    std::fprintf(stderr, "bench_control_fleet: %s\n", problem.what());
    return 2;
  }
}
