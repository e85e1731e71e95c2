// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "tarl/agents/settings.h"
#include "tarl/core/threads.h"
#include "tarl/rl/agent.h"

namespace tarl::agents {

enum class Actions { kDiscrete, kContinuous };

// Which tensors of a model file are the policy (docs/model.md): DQN's (q.*), SAC's or TD3's
// (actor.*), or others that only the agent knows.
enum class PolicyTensors { kOwn, kQ, kActor };

// What an agent is made for.
struct Task {
  rl::ObsSpec obs;
  rl::ActionSpec action;
  int max_rows = 0;  // the largest batch, for learning or acting
};

// A base algorithm: everything that a run needs to know about an agent. entry() below fills in what
// follows from its types.
struct Entry {
  std::string name;   // "dqn", in lower case, as in "ta-dqn+per"
  std::string title;  // one line
  Actions actions = Actions::kDiscrete;

  // Whether the agent acts epsilon-greedily and has the settings exploration_*.
  bool epsilon_greedy = true;
  // Whether target_update_interval counts environment steps instead of updates.
  bool syncs_by_steps = true;
  // Whether a device program can compute it in several ways: its runs have the settings fleet.*.
  bool on_devices = false;

  // What `tarl export` reads.
  PolicyTensors policy_tensors = PolicyTensors::kOwn;

  // Settings of a run as "key=value": defaults that differ from DQN's, and those implied by the
  // agent's name, which no preset for several agents may contradict.
  std::vector<std::string> defaults;
  std::vector<std::string> named;
  // The agent whose presets it shares, because it has all of that agent's settings.
  std::string presets_of;

  // Settings for a one-second run, and whether `tarl selftest` includes it by default.
  std::vector<std::string> short_run;
  bool in_selftest = false;

  std::type_index agent = typeid(void);  // the class
  std::function<Settings()> settings;
  // If settings may leave something open: fills it in from the kind of observation and the size of
  // a continuous action (0 for discrete ones).
  std::function<void(Settings&, rl::ObsKind obs, int action_size)> complete{};
  // The number of critics in an assessment.
  std::function<std::int64_t(const Settings&)> critics = [](const Settings&) { return 1; };
  std::function<double(const Settings&, const Task&)> bytes;  // memory of the networks
  // Throws UsageError on an unsuitable task or unsuitable settings.
  std::function<std::unique_ptr<rl::Agent>(const Settings&, const Task&, Rng init, Team& team)>
      make;

  template <class AgentType>
  bool makes() const {
    return agent == typeid(AgentType);
  }
};

// The entry of a class constructed as AgentType(config, obs, action, max_rows, init, team), like
// the built-in ones. Its memory is AgentType::bytes_needed(config, obs, action, max_rows), if
// defined.
template <class AgentType, class Config>
Entry entry(std::string name, std::string title, Actions actions, Config config = {}) {
  Entry out;
  out.name = std::move(name);
  out.title = std::move(title);
  out.actions = actions;
  out.epsilon_greedy = out.syncs_by_steps = actions == Actions::kDiscrete;
  out.agent = typeid(AgentType);
  out.settings = [config] { return Settings(config); };
  out.bytes = [](const Settings& settings, const Task& task) {
    const auto& given = settings.as<Config>();
    if constexpr (requires {
                    AgentType::bytes_needed(given, task.obs, task.action, task.max_rows);
                  }) {
      return AgentType::bytes_needed(given, task.obs, task.action, task.max_rows);
    } else {
      return 0.0;
    }
  };
  out.make = [](const Settings& settings, const Task& task, Rng init, Team& team) {
    return std::make_unique<AgentType>(settings.as<Config>(), task.obs, task.action, task.max_rows,
                                       init, team);
  };
  return out;
}

// Agents by name, in the order they were added. A program that links tarl, or a plugin, may add its
// own.
class Registry {
 public:
  // A second entry with the same name replaces the first. Throws UsageError on an invalid name: it
  // consists of letters, digits, '-' and '_', and does not begin with "ta-".
  void add(Entry entry);

  // Throws UsageError with the nearest names.
  const Entry& find(std::string_view name) const;
  const Entry* look_up(std::string_view name) const;  // null if there is none

  const std::deque<Entry>& entries() const { return entries_; }

  std::vector<std::string> names() const;
  // Names of the agents for such actions.
  std::vector<std::string> names(Actions actions) const;

 private:
  std::deque<Entry> entries_;  // addresses of entries are stable
};

// The registry with every built-in agent.
Registry& registry();

void add_dqn(Registry& registry);  // dqn, ddqn
void add_sac(Registry& registry);
void add_td3(Registry& registry);  // td3, ddpg

}  // namespace tarl::agents
