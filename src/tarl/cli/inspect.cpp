// SPDX-License-Identifier: MIT
#include "tarl/inspect/inspect.h"

#include <cstdio>

#include "tarl/cli/config_request.h"
#include "tarl/cli/json_output.h"
#include "tarl/cli/printable.h"
#include "tarl/cli/verbs.h"
#include "tarl/store/own_files.h"

namespace tarl::cli {

namespace {

int run_inspect(const Args& args) {
  inspect::Request request;
  request.run = args.positional().front();
  request.rows = args.whole("--rows", inspect::kDefaultRows, 1, 1'000'000);
  request.seed = args.whole("--seed", 0, 0, 1LL << 53);
  request.threads = compute_threads(args);
  request.notice = [](const std::string& line) {
    std::fprintf(stderr, "tarl: %s\n", printable(line).c_str());
  };
  if (args.has("--steps-since-sync")) {
    request.since_sync = args.whole("--steps-since-sync", 0, 1, 1LL << 53);
  }
  const fs::path out = args.value("--out").value_or("inspect.html");
  store::refuse_run_file(out);
  const inspect::Inspected inspected = inspect::inspect_run(request, out);
  if (wants_json(args)) {
    Json json = {{"page", inspected.page.string()},
                 {"files", inspected.files.string()},
                 {"run", request.run.string()}};
    json.update(inspected.numbers);
    return print_json(json);
  }
  std::printf("page: %s\nfigures and candidates: %s\n", inspected.page.c_str(),
              inspected.files.c_str());
  return kExitGood;
}

}  // namespace

Verb inspect_verb() {
  return {
      .name = "inspect",
      .summary = "look inside a run's filter: candidates of its last checkpoint, with pictures",
      .usage = "RUN [--rows N] [--steps-since-sync N] [--seed N] [--out FILE.html] [--json]",
      .options =
          {{"--rows", "N", "candidates to draw, at least (default 8192)", {}},
           {"--steps-since-sync",
            "N",
            "all of them N updates after the target was copied (default: evenly over its ages)",
            {}},
           {"--seed", "N", "seed of the draws (default 0)", {}},
           {"--threads", "N", "compute threads (default 1); never changes the result", {}},
           {"--out", "FILE", "the page (default ./inspect.html)", {"-o"}},
           json_option()},
      .examples = {"tarl train --env minatar/breakout --out runs/first --set checkpoint.keep=true",
                   "tarl inspect runs/first",
                   "tarl inspect runs/first --steps-since-sync 200 --rows 20000 --out late.html",
                   "tarl inspect runs/first --json | jq .alignment"},
      .min_positional = 1,
      .max_positional = 1,
      .run = run_inspect};
}

}  // namespace tarl::cli
