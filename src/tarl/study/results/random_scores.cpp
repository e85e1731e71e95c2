// SPDX-License-Identifier: MIT
#include "tarl/study/results/random_scores.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/is_there.h"

namespace tarl::study {

namespace {

struct KnownRandomScore {
  const char* key;
  double mean, standard_error;
  const char* source;
};

constexpr const char* kMinatar = "built-in table: random play, minimal action set, sticky 0.1";
constexpr const char* kAtari = "built-in table: random scores of Aitchison et al. 2023";
constexpr const char* kContinuous = "built-in table: 100 episodes of uniform actions";

constexpr std::array<KnownRandomScore, 21> kKnown{{
    {"minatar/asterix", 0.480, 0.013, kMinatar},
    {"minatar/breakout", 0.400, 0.010, kMinatar},
    {"minatar/freeway", 0.39, 0.04, kMinatar},
    {"minatar/spaceinvaders", 4.12, 0.05, kMinatar},
    {"minatar/seaquest", 0.083, 0.007, kMinatar},
    {"atari/amidar", 5.77, 0, kAtari},
    {"atari/battlezone", 2360, 0, kAtari},
    {"atari/bowling", 23.11, 0, kAtari},
    {"atari/doubledunk", -18.55, 0, kAtari},
    {"atari/frostbite", 65.2, 0, kAtari},
    {"atari/kungfumaster", 258.5, 0, kAtari},
    {"atari/namethisgame", 2292.35, 0, kAtari},
    {"atari/phoenix", 761.4, 0, kAtari},
    {"atari/qbert", 163.88, 0, kAtari},
    {"atari/riverraid", 1338.5, 0, kAtari},
    {"mujoco/ant", -58.3, 9.6, kContinuous},
    {"mujoco/hopper", 17.4, 1.5, kContinuous},
    {"mujoco/humanoid", 120.9, 2.9, kContinuous},
    {"mujoco/swimmer", 2.0, 1.1, kContinuous},
    {"mujoco/walker2d", 1.6, 0.6, kContinuous},
    {"box2d/bipedalwalker", -98.6, 1.0, kContinuous},
}};

// "-v4" at the end of a name; 0 when there is none.
std::size_t version_length(std::string_view name) {
  std::size_t digits = 0;
  while (digits < name.size() &&
         std::isdigit(static_cast<unsigned char>(name[name.size() - 1 - digits])) != 0) {
    ++digits;
  }
  return digits > 0 && name.substr(0, name.size() - digits).ends_with("-v") ? digits + 2 : 0;
}

}  // namespace

std::string environment_key(std::string_view env) {
  env.remove_suffix(version_length(env));
  std::string key;
  for (const char c : env) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '/') key += static_cast<char>(std::tolower(byte));
  }
  return key;
}

std::map<std::string, RandomScore> read_random_scores(const fs::path& file) {
  if (!is_there(file)) return {};
  std::map<std::string, RandomScore> random_scores;
  try {
    const auto json = parse_json(read_text(file));
    for (const auto& [env, entry] : json.items()) {
      std::string source = "measured by the study (baselines.json";
      if (entry.contains("episodes")) {
        source.append(", ").append(json_line(entry["episodes"])).append(" random episodes");
      }
      source += ")";
      const double error = entry.value("se", 0.0);
      random_scores[environment_key(env)] = {entry.at("mean").get<double>(), error, source, true};
    }
  } catch (const Json::exception& problem) {
    throw Error(file.string() + " is not as expected, {\"env\": {\"mean\": ..., \"se\": ...}}: " +
                problem.what() + "; delete it to use the built-in baselines");
  }
  return random_scores;
}

std::optional<RandomScore> built_in_random_score(std::string_view env) {
  const std::string key = environment_key(env);
  const auto found = std::find_if(kKnown.begin(), kKnown.end(),
                                  [&](const KnownRandomScore& known) { return key == known.key; });
  if (found == kKnown.end()) return std::nullopt;
  return RandomScore{found->mean, found->standard_error, found->source, true};
}

}  // namespace tarl::study
