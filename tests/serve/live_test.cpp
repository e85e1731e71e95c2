// SPDX-License-Identifier: MIT
#include "tarl/serve/live.h"

#include <atomic>
#include <thread>

#include "study/results_synthetic.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/json.h"
#include "tarl/store/run_lock.h"
#include "tarl/study/plan/study_folder.h"

namespace tarl::serve {
namespace {

using namespace std::chrono_literals;
using synthetic::RunSpec;
using synthetic::write_run;

RunIndex index_of(const fs::path& folder) {
  RunIndex index(folder);
  while (index.look(1h), index.unread() > 0) continue;
  return index;
}

Json status_of(const fs::path& folder) {
  return parse_json(status_json(folder, index_of(folder)));
}

TEST(StatusJson, CountsRunsOfAnyFolder) {
  const test::TemporaryFolder scratch;
  write_run(scratch / "a", {});
  write_run(scratch / "b", {.seed = 1, .status = "running"});
  write_run(scratch / "c", {.seed = 2, .status = "failed"});
  const store::RunLock lock(scratch / "b");
  const Json json = status_of(scratch.path());
  EXPECT_EQ(json["runs"], 3);
  EXPECT_EQ(json["done"], 1);
  EXPECT_EQ(json["running"], 1);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["missing"], 0);
}

TEST(StatusJson, KnowsWhatAStudyStillLacks) {
  const test::TemporaryFolder scratch;
  study::join_folder(scratch.path(),
                     study::apply_request(study::find_study("minatar-replay"),
                                          {.seeds = 2, .envs = {"minatar/breakout"}}));
  const Json json = status_of(scratch.path());
  EXPECT_EQ(json["name"], "minatar-replay");
  EXPECT_EQ(json["missing"], 12);
  EXPECT_EQ(json["runs"], 12);
}

TEST(StatusJson, SaysThatTheFolderIsGone) {
  const test::TemporaryFolder scratch;
  const Json json = status_of(scratch / "removed");
  EXPECT_EQ(json["problem"], "the folder " + (scratch / "removed").string() + " is gone");
  EXPECT_FALSE(json.contains("runs"));
}

TEST(LivePage, PutsTheBarInsideTheBody) {
  const std::string page = live_page("<html><body><p>x</p></body></html>", {"a1", "b2"}, false);
  EXPECT_LT(page.find("tarl-live"), page.find("</body>"));
  EXPECT_NE(page.find("data-runs=\"a1 b2\""), std::string::npos);
  EXPECT_NE(page.find("All runs"), std::string::npos);
  EXPECT_NE(live_page("no body", {}, true).find("tarl-live"), std::string::npos);
  EXPECT_EQ(live_page("", {}, true).find("All runs"), std::string::npos);
}

TEST(BrowserPage, CannotBeBrokenOutOf) {
  EXPECT_EQ(browser_page("<script>x").find("<script>x"), std::string::npos);
  EXPECT_EQ(waiting_page("<b>why").find("<b>why"), std::string::npos);
}

struct LivePagesTest : ::testing::Test {
  // Writes how often it was called and for which runs into the page, whose file comes last.
  void start(const fs::path& folder) {
    write_file_durably(scratch / "writer",
                       "echo x >>" + (scratch / "calls").string() +
                           "\nfor file; do :; done\n[ -e " + (scratch / "broken").string() +
                           " ] && { echo it is broken; exit 1; }\n"
                           "echo \"<body>call $(wc -l <" +
                           (scratch / "calls").string() + ") of $*</body>\" >\"$file\"\n");
    ServerOptions options;
    options.port = 0;
    server = std::make_unique<Server>(options);
    live = std::make_unique<LivePages>(
        *server, LiveOptions{.folder = folder,
                             .write_report = {"/bin/sh", (scratch / "writer").string()},
                             .look = 0ms});
    live->step();
  }

  // Asks the server in this very thread, which serves until the answer is there.
  std::string get(const std::string& path) {
    std::string answer;
    std::atomic<bool> answered{false};
    std::thread client([&] {
      answer = study::output_of({"curl", "-s", "--path-as-is",
                                 "http://127.0.0.1:" + std::to_string(server->port()) + path});
      answered = true;
    });
    while (!answered) {
      server->serve(5ms, -1);
      live->step();
    }
    client.join();
    return answer;
  }

  std::string id_of(const std::string& path) {
    const Json told = parse_json(get("/runs.json"));
    for (const Json& run : told["runs"]) {
      if (run["path"] == path) return run["id"];
    }
    return "none";
  }

  const test::TemporaryFolder scratch;
  std::unique_ptr<Server> server;
  std::unique_ptr<LivePages> live;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

#define SKIP_WITHOUT_CURL() \
  if (std::system("command -v curl >/dev/null") != 0) GTEST_SKIP() << "SKIPPED: no curl here"

TEST_F(LivePagesTest, WritesAPageWhenItIsAskedForAndAgainAfterAChange) {
  SKIP_WITHOUT_CURL();
  write_run(scratch / "runs" / "a", {.evaluations = 3, .status = "running"});
  start(scratch / "runs");
  EXPECT_TRUE(has(get("/"), "tarl runs</title>"));
  const std::string page = "/run/" + id_of("a");
  EXPECT_TRUE(has(get(page), "call 1 of " + (scratch / "runs" / "a").string()));
  EXPECT_TRUE(has(get(page), "call 1 "));  // nothing new: the same page
  write_run(scratch / "runs" / "a", {.evaluations = 4, .status = "running"});
  std::string second = get(page);
  while (has(second, "call 1 ")) second = get(page);
  EXPECT_TRUE(has(second, "call 2 "));
}

TEST_F(LivePagesTest, ComparesTheChosenRunsAndReportsOnAll) {
  SKIP_WITHOUT_CURL();
  for (const char* name : {"a", "b", "c"}) write_run(scratch / "runs" / name, {});
  start(scratch / "runs");
  const std::string two = get("/compare/" + id_of("a") + "+" + id_of("c"));
  EXPECT_TRUE(has(two, "runs/a ") && has(two, "runs/c ")) << two;
  EXPECT_FALSE(has(two, "runs/b "));
  EXPECT_TRUE(has(get("/report.html"), " of " + (scratch / "runs").string() + " --out"));
}

TEST_F(LivePagesTest, KnowsRunsByTheirIdsAlone) {
  SKIP_WITHOUT_CURL();
  write_run(scratch / "runs" / "a", {});
  write_run(scratch / "secret", {});
  start(scratch / "runs");
  const std::string id = id_of("a");
  for (const std::string& path :
       {std::string("/run/"), std::string("/run/a"), std::string("/run/../secret"),
        "/run/" + id + "/../../secret", "/run/" + id + "+" + id + "x", "/run/" + id + "?x",
        std::string("/compare/"), std::string("/compare/+"), "/compare/" + id + "+",
        "/compare/" + id + "+../secret", std::string("/compare/..%2fsecret")}) {
    EXPECT_EQ(get(path), "404: there is nothing at this address; the runs are at /\n") << path;
  }
  EXPECT_FALSE(fs::exists(scratch / "calls"));  // nothing was read for them
}

TEST_F(LivePagesTest, SaysWhyThereIsNoPageYet) {
  SKIP_WITHOUT_CURL();
  write_run(scratch / "runs" / "a", {});
  write_file_durably(scratch / "broken", "");
  start(scratch / "runs");
  const std::string page = get("/report.html");
  EXPECT_TRUE(has(page, "No results yet") && has(page, "it is broken")) << page;
}

TEST_F(LivePagesTest, ShowsTheRunItselfWhereTheFolderIsOne) {
  SKIP_WITHOUT_CURL();
  write_run(scratch / "run", {.evaluations = 3, .status = "running"});
  start(scratch / "run");
  const std::string page = get("/");
  EXPECT_TRUE(has(page, "of " + (scratch / "run").string() + " --out")) << page;
  EXPECT_FALSE(has(page, "All runs"));
}

TEST_F(LivePagesTest, TellsTheStatus) {
  SKIP_WITHOUT_CURL();
  write_run(scratch / "runs" / "a", {});
  start(scratch / "runs");
  EXPECT_TRUE(has(get("/status.json"), "\"done\":1"));
}

}  // namespace
}  // namespace tarl::serve
