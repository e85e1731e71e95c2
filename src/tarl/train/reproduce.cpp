// SPDX-License-Identifier: MIT
#include "tarl/train/reproduce.h"

#include <algorithm>
#include <vector>

#include "tarl/core/shell_words.h"
#include "tarl/train/plugin.h"

namespace tarl::train {

namespace {

// The value as a command-line option takes it, without TOML's quotes and blanks.
std::string value_of(const Field& field) {
  std::string text = field.to_toml();
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    return text.substr(1, text.size() - 2);
  }
  std::erase(text, ' ');
  return text;
}

}  // namespace

std::string reproducing_command(const RunConfig& config, const std::string& program) {
  if (config.own_env) return "";
  RunConfig chosen = resolve({.algo = config.algo, .env = config.env}), own = config;
  const Fields before = fields(chosen);
  std::vector<std::string> words = {program,   "train",
                                    "--algo",  config.algo,
                                    "--env",   config.env,
                                    "--seed",  std::to_string(config.seed),
                                    "--steps", std::to_string(config.steps)};
  for (const LoadedPlugin& plugin : loaded_plugins()) {
    words.insert(words.end(), {"--plugin", plugin.path.string()});
  }
  for (const Field& field : fields(own)) {
    const bool named = field.name == "algo" || field.name == "env" || field.name == "seed" ||
                       field.name == "steps";
    if (named || is_cosmetic(field.name)) continue;
    const auto same = std::ranges::find(before, field.name, &Field::name);
    if (same != before.end() && same->to_toml() == field.to_toml()) continue;
    words.emplace_back("--set");
    words.push_back(field.name + "=" + value_of(field));
  }
  return shell_line(words);
}

}  // namespace tarl::train
