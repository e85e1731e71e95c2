// SPDX-License-Identifier: MIT
#include "tarl/report/server_live.h"

#include <thread>

#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/core/formats/json.h"
#include "tarl/study/study_folder.h"

namespace tarl::report {
namespace {

using namespace std::chrono_literals;

void make_run(const fs::path& folder, const std::string& status) {
  make_directories(folder);
  write_file_durably(folder / "config.toml", "algo = \"dqn\"\nenv = \"minatar/breakout\"\n");
  write_file_durably(folder / "run.json", "{\"status\": \"" + status + "\"}");
}

TEST(Fingerprint, ChangesWithResultsAlone) {
  const test::TemporaryFolder scratch;
  make_run(scratch / "a", "running");
  const std::uint64_t before = fingerprint(scratch.path());
  write_file_durably(scratch / "a" / "train.log", "a line");
  EXPECT_EQ(fingerprint(scratch.path()), before);
  std::this_thread::sleep_for(20ms);
  write_file_durably(scratch / "a" / "evaluations.npz", "");
  EXPECT_NE(fingerprint(scratch.path()), before);
}

TEST(StatusJson, CountsRunsOfAnyFolder) {
  const test::TemporaryFolder scratch;
  make_run(scratch / "a", "finished");
  make_run(scratch / "b", "running");
  const auto json = parse_json(status_json(scratch.path()));
  EXPECT_EQ(json["runs"], 2);
  EXPECT_EQ(json["done"], 1);
  EXPECT_EQ(json["running"], 1);
}

TEST(StatusJson, KnowsWhatAStudyStillLacks) {
  const test::TemporaryFolder scratch;
  study::join_folder(scratch.path(),
                     study::apply_request(study::find_study("minatar-replay"),
                                          {.seeds = 2, .envs = {"minatar/breakout"}}));
  const auto json = parse_json(status_json(scratch.path()));
  EXPECT_EQ(json["name"], "minatar-replay");
  EXPECT_EQ(json["missing"], 12);
}

TEST(StatusJson, SaysThatTheFolderIsGone) {
  const test::TemporaryFolder scratch;
  const auto json = parse_json(status_json(scratch / "removed"));
  EXPECT_EQ(json["problem"], "the folder " + (scratch / "removed").string() + " is gone");
  EXPECT_FALSE(json.contains("runs"));
}

TEST(LivePage, PutsTheBadgeInsideTheBody) {
  const std::string page = live_page("<html><body><p>x</p></body></html>");
  EXPECT_LT(page.find("tarl-live"), page.find("</body>"));
  EXPECT_NE(live_page("no body").find("tarl-live"), std::string::npos);
}

// Asks a server in this very thread.
std::string fetch(Server& server, const std::string& path) {
  std::string answer;
  std::thread client([&] {
    answer = study::output_of(
        {"curl", "-s", "http://127.0.0.1:" + std::to_string(server.port()) + path});
  });
  server.serve(700ms, -1);
  client.join();
  return answer;
}

TEST(LiveReport, ShowsANewReportWhenThereAreNewResults) {
  if (std::system("command -v curl >/dev/null") != 0) GTEST_SKIP() << "SKIPPED: no curl here";
  const test::TemporaryFolder scratch;
  make_run(scratch / "runs" / "a", "running");
  // Writes the number of times it was called into the page; the file's name comes last.
  write_file_durably(scratch / "writer", "echo x >>" + (scratch / "calls").string() +
                                             "; echo \"<body>call $(wc -l <" +
                                             (scratch / "calls").string() + ")</body>\" >\"$1\"\n");
  ServerOptions options;
  options.port = 0;
  Server server(options);
  LiveReport live(server, {.folder = scratch / "runs",
                           .write_report = {"/bin/sh", (scratch / "writer").string()},
                           .look = 10ms,
                           .between = 50ms});
  EXPECT_NE(fetch(server, "/").find("No results yet"), std::string::npos);
  const auto settle = [&] {
    for (int i = 0; i < 30; ++i) {
      live.step();
      server.serve(20ms, -1);
    }
  };
  settle();
  EXPECT_NE(fetch(server, "/report.html").find("call 1"), std::string::npos);
  settle();
  EXPECT_NE(fetch(server, "/").find("call 1"), std::string::npos);  // nothing new, no new report
  write_file_durably(scratch / "runs" / "a" / "evaluations.npz", "new");
  settle();
  EXPECT_NE(fetch(server, "/").find("call 2"), std::string::npos);
  EXPECT_NE(fetch(server, "/status.json").find("\"running\":1"), std::string::npos);
}

}  // namespace
}  // namespace tarl::report
