// SPDX-License-Identifier: MIT
#include <csignal>
#include <cstdio>

#include <sys/signalfd.h>
#include <unistd.h>

#include "tarl/cli/verbs.h"
#include "tarl/core/error.h"
#include "tarl/serve/live.h"
#include "tarl/study/executors/signal_queue.h"

namespace tarl::cli {

namespace {

// Readable once a signal asks the program to end.
class EndSignal {
 public:
  EndSignal() {
    ::sigemptyset(&signals_);
    for (const int number : {SIGINT, SIGTERM}) ::sigaddset(&signals_, number);
    if (!study::is_ignored(SIGHUP)) ::sigaddset(&signals_, SIGHUP);
    ::sigprocmask(SIG_BLOCK, &signals_, nullptr);
    descriptor_ = ::signalfd(-1, &signals_, SFD_NONBLOCK | SFD_CLOEXEC);
    if (descriptor_ < 0) throw Error("the system refuses a descriptor for signals");
  }

  ~EndSignal() { ::close(descriptor_); }

  EndSignal(const EndSignal&) = delete;
  EndSignal& operator=(const EndSignal&) = delete;

  int descriptor() const { return descriptor_; }

  bool came() const {
    signalfd_siginfo info{};
    return ::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info);
  }

 private:
  sigset_t signals_{};
  int descriptor_ = -1;
};

int run_serve(const Args& args) {
  const fs::path folder = args.positional().front();
  if (!fs::is_directory(folder)) {
    throw UsageError(folder.string() + " is no folder; name a run, a study or a folder with runs");
  }
  const EndSignal end;
  serve::ServerOptions options;
  options.port = static_cast<std::uint16_t>(args.whole("--port", 8080, 0, 65535));
  serve::Server server(options);
  serve::LivePages live(
      server, {.folder = folder, .write_report = {kThisProgram, "report", "--unfinished"}});
  std::printf("http://127.0.0.1:%d/ shows %s (this machine only; Ctrl-C ends it)\n", server.port(),
              folder.c_str());
  std::fflush(stdout);
  while (!end.came()) {
    live.step();
    server.serve(live.pause(), end.descriptor());
  }
  return kExitGood;
}

}  // namespace

Verb serve_verb() {
  return {.name = "serve",
          .summary = "show runs and reports in a browser on this machine while runs go on",
          .usage = "DIR [--port N]",
          .options = {{"--port", "N", "port on 127.0.0.1 (default 8080; 0: any free one)", {"-p"}}},
          .examples = {"tarl serve runs", "tarl serve runs/minatar-replay --port 0",
                       "tarl serve runs/first"},
          .min_positional = 1,
          .max_positional = 1,
          .run = run_serve};
}

}  // namespace tarl::cli
