// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "study/results_synthetic.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>

#include "tarl/report/report.h"
#include "tarl/report/text.h"
#include "tarl/study/plan/study.h"

namespace tarl::report {

using synthetic::RunSpec;
using synthetic::write_run;

inline const std::vector<std::string> kGames = {"minatar/asterix", "minatar/breakout",
                                                "minatar/freeway", "minatar/space_invaders"};

class ReportTest : public testing::Test {
 protected:
  fs::path runs() const { return scratch_.path() / "runs"; }

  WrittenReport write() {
    ReportOptions options;
    options.out = scratch_.path() / "out" / "report.html";
    options.bootstrap.resamples = 500;
    return write_report(study::read_results(runs()), options);
  }

  // A study of two conditions and one seed, with arbitrary names.
  void write_study(const std::string& plain, const std::string& aligned,
                   const std::string& more = "") {
    const auto quoted = [](const std::string& text) { return json_string(text); };
    write_file(runs() / "study.toml",
               "name = \"s\"\nseeds = 1\nenvs = [\"minatar/breakout\"]\n" + more +
                   "[[conditions]]\nlabel = " + quoted(plain) +
                   "\nalgo = \"dqn\"\n[[conditions]]\nlabel = " + quoted(aligned) +
                   "\nalgo = \"ta-dqn\"\nagainst = " + quoted(plain) + "\n");
    for (const std::string& label : {plain, aligned}) {
      RunSpec spec;
      spec.algo = label == plain ? "dqn" : "ta-dqn";
      spec.margin = label == plain ? 0 : 1;
      write_run(runs() / "minatar/breakout" / study::slug(label) / "seed0", spec);
    }
  }

  static void write_file(const fs::path& path, const std::string& text) {
    make_directories(path.parent_path());
    write_file_durably(path, text);
  }

  void write_plain_and_aligned() {
    for (const std::string algo : {"dqn", "ta-dqn"}) {
      RunSpec spec;
      spec.algo = algo;
      spec.margin = algo == "dqn" ? 0 : 1;
      write_run(runs() / algo, spec);
    }
  }

  void expect_all(const std::string& page, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      EXPECT_NE(page.find(text), std::string::npos) << "the page lacks: " << text;
    }
  }

 private:
  test::TemporaryFolder scratch_;
};

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// Expects every opened element with these names to be closed.
inline void expect_balanced(const std::string& page) {
  for (const std::string name :
       {"svg", "g", "section", "figure", "table", "div", "details", "dl"}) {
    EXPECT_EQ(count(page, "<" + name + ">") + count(page, "<" + name + " "),
              count(page, "</" + name + ">"))
        << name;
  }
}

}  // namespace tarl::report
