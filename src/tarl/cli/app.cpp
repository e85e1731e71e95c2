// SPDX-License-Identifier: MIT
#include "tarl/cli/app.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <system_error>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tarl/cli/man_page.h"
#include "tarl/cli/plugins.h"
#include "tarl/cli/printable.h"
#include "tarl/cli/verbs.h"
#include "tarl/core/build_config.h"
#include "tarl/core/error.h"
#include "tarl/core/fields.h"
#include "tarl/core/files.h"
#include "tarl/core/machine.h"

namespace tarl::cli {

namespace {

std::string overview() {
  std::string out =
      "tarl: target-aligned reinforcement learning\n\n"
      "Usage: tarl VERB [options]      (tarl VERB --help explains one)\n\n";
  for (const Verb& verb : all_verbs()) {
    std::string left = "  " + verb.name;
    left.resize(16, ' ');
    out += left + verb.summary + "\n";
  }
  return out +
         "\nWith every verb\n"
         "  --plugin FILE   load agents, environments and scores of your own (TARL_PLUGINS)\n"
         "\nFirst steps\n"
         "  tarl train --algo ta-dqn --env minatar/breakout --steps 200000\n"
         "  tarl eval runs/minatar/breakout/ta-dqn/seed0 --gif breakout.gif\n"
         "\nMore: tarl help VERB, tarl help exit-codes, tarl completion bash\n";
}

std::string exit_code_table() {
  std::string out = "Exit codes\n";
  for (const auto& [code, meaning] : exit_codes()) {
    std::string left = "  " + std::to_string(code);
    left.resize(6, ' ');
    out += left + meaning + "\n";
  }
  return out;
}

Verb find_verb(const std::string& name, std::vector<std::string> known) {
  for (const Verb& verb : all_verbs()) {
    if (verb.name == name) return verb;
    known.push_back(verb.name);
  }
  throw UsageError("tarl has no verb '" + name + "'" + did_you_mean(name, known) +
                   " (tarl help lists all)");
}

std::string help_on(const std::string& topic) {
  if (topic == kManOption) return man_page();
  if (topic == "exit-codes") return exit_code_table();
  if (topic == "help" || topic == "--help" || topic == "-h") return overview();
  return help_text(find_verb(topic, {"exit-codes"}));
}

bool asks_for_help(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

// Removes "--plugin FILE" from a command line, wherever it stands, and loads the plugins it names
// and those named in the environment. Child processes load the same.
std::vector<std::string> with_plugins(const std::vector<std::string>& words) {
  std::vector<std::string> rest;
  std::vector<std::string> asked = plugins_of_environment();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string assigned = std::string(kPluginOption) + "=";
    if (words[i].starts_with(assigned)) {
      asked.push_back(words[i].substr(assigned.size()));
    } else if (words[i] == kPluginOption) {
      if (i + 1 >= words.size()) throw UsageError("--plugin needs a value: --plugin FILE.so");
      asked.push_back(words[++i]);
    } else {
      rest.push_back(words[i]);
    }
  }
  use_plugins(asked);
  return rest;
}

int dispatch(const std::vector<std::string>& words) {
  const std::string name = words.empty() ? "help" : words.front();
  if (name == "help" || name == "--help" || name == "-h") {
    const std::string text = words.size() < 2 ? overview() : help_on(words[1]);
    std::fputs(text.c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? kExitUsage : kExitGood;
  }
  if (name == "--version" || name == "-V" || name == "version") {
    std::printf("tarl %s (%s)\n", kVersion, kCommit);
    return kExitGood;
  }
  const Verb verb = find_verb(name, {"help", "version"});
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (asks_for_help(rest)) {
    std::fputs(help_text(verb).c_str(), stdout);
    return kExitGood;
  }
  return verb.run(Args(verb, rest));
}

// A closed standard descriptor would be reused by the next file opened, which would then receive
// terminal output.
void occupy_standard_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDWR);
  }
}

constexpr const char* kOutOfMemory =
    "out of memory; lower buffer_size, n_envs, batch_size, align.margin or policy.net_arch";

// A destructor that runs out of memory terminates the program; that cannot be caught.
[[noreturn]] void end_terminated() {
  try {
    if (const auto problem = std::current_exception()) std::rethrow_exception(problem);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "tarl: %s\n", kOutOfMemory);
    ::_exit(kExitFailed);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "tarl: this is a bug in tarl, please report it: %s\n", problem.what());
    std::abort();
  } catch (...) {
  }
  std::fputs("tarl: could not go on, as where memory is refused; what was saved is good\n", stderr);
  std::abort();
}

// A program that starts itself via /proc/self/exe would be called "exe" in process lists.
void take_own_name() {
  ::prctl(PR_SET_NAME, program_name().c_str());
}

int complain(const char* what, int code) {
  std::fprintf(stderr, "tarl: %s\n", printable(what).c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv, const std::function<void(train::Registries&)>& add) {
  occupy_standard_descriptors();
  take_own_name();
  std::set_terminate(end_terminated);
  try {
    train::Registries registries;
    if (add) add(registries);
    return dispatch(with_plugins({argv + 1, argv + argc}));
  } catch (const UsageError& problem) {
    return complain(problem.what(), kExitUsage);
  } catch (const NonFiniteError& problem) {
    return complain(problem.what(), kExitNonFinite);
  } catch (const Error& problem) {
    return complain(problem.what(), kExitFailed);
  } catch (const std::bad_alloc&) {
    return complain(kOutOfMemory, kExitFailed);
  } catch (const fs::filesystem_error& problem) {
    return complain(
        ("cannot use " + problem.path1().string() + ": " + problem.code().message()).c_str(),
        kExitFailed);
  } catch (const std::system_error& problem) {
    return complain((std::string("the system refuses: ") + problem.what()).c_str(), kExitFailed);
  } catch (const std::exception& problem) {
    return complain(
        (std::string("this is a bug in tarl, please report it: ") + problem.what()).c_str(),
        kExitFailed);
  }
}

}  // namespace tarl::cli
