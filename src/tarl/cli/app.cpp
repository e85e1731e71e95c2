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
         "\nFirst steps\n"
         "  tarl train --algo ta-dqn --env minatar/breakout --steps 200000\n"
         "  tarl eval runs/minatar/breakout/ta-dqn/seed0 --gif breakout.gif\n"
         "\nMore: tarl help VERB, tarl help exit-codes\n";
}

std::string exit_code_table() {
  const std::pair<int, const char*> codes[] = {
      {kExitGood, "done"},
      {kExitFailed, "failed: the disk, the memory, a damaged file; the message says which"},
      {kExitUsage, "asked for something tarl does not know or cannot do; nothing was changed"},
      {kExitNonFinite, "a run met a NaN or an infinity; its batch is in the run folder"},
      {kExitStopped, "stopped by a signal with everything saved; the same command continues"}};
  std::string out = "Exit codes\n";
  for (const auto& [code, meaning] : codes) {
    std::string left = "  " + std::to_string(code);
    left.resize(6, ' ');
    out += left + meaning + "\n";
  }
  return out;
}

Verb find_verb(const std::string& name) {
  std::vector<std::string> known = {"help", "version"};
  for (const Verb& verb : all_verbs()) {
    if (verb.name == name) return verb;
    known.push_back(verb.name);
  }
  throw UsageError("tarl has no verb '" + name + "'" + did_you_mean(name, known) +
                   " (tarl help lists all)");
}

std::string help_on(const std::string& topic) {
  return topic == "exit-codes" ? exit_code_table() : help_text(find_verb(topic));
}

bool asks_for_help(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

int dispatch(const std::vector<std::string>& words) {
  const std::string name = words.empty() ? "help" : words.front();
  if (name == "help" || name == "--help" || name == "-h") {
    const std::string text = words.size() > 1 ? help_on(words[1]) : overview();
    std::fputs(text.c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? kExitUsage : kExitGood;
  }
  if (name == "--version" || name == "-V" || name == "version") {
    std::printf("tarl %s (%s)\n", kVersion, kCommit);
    return kExitGood;
  }
  const Verb verb = find_verb(name);
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (asks_for_help(rest)) {
    std::fputs(help_text(verb).c_str(), stdout);
    return kExitGood;
  }
  return verb.run(Args(verb, rest));
}

// A standard descriptor that is closed would be given to the next file opened, and what is meant
// for the terminal would be written into it.
void occupy_standard_descriptors() {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDWR);
  }
}

constexpr const char* kOutOfMemory =
    "out of memory; lower buffer_size, n_envs, batch_size, align.margin or policy.net_arch";

// A destructor that needs memory and gets none ends the program without a chance to catch it.
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

// A program that starts itself once more would be called "exe" in lists of processes.
void take_own_name() {
  ::prctl(PR_SET_NAME, program_name().c_str());
}

int complain(const char* what, int code) {
  std::fprintf(stderr, "tarl: %s\n", what);
  return code;
}

}  // namespace

int run_app(int argc, char** argv) {
  occupy_standard_descriptors();
  take_own_name();
  std::set_terminate(end_terminated);
  try {
    return dispatch({argv + 1, argv + argc});
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
