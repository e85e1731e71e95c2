// SPDX-License-Identifier: MIT
#include "tarl/study/executors/slurm_executor.h"

#include <cstdlib>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tarl/core/error.h"
#include "tarl/study/executors/child_process.h"

namespace tarl::study {
namespace {

// Stand-ins for Slurm's commands first in PATH; tests/cli/study_slurm.sh has the real ones.
struct SlurmTest : ::testing::Test {
  SlurmTest() {
    bin = scratch / "bin";
    make_directories(bin);
    command("sbatch",
            "printf '%s\\n' \"$@\" >" + (scratch / "sbatch.args").string() + "; echo '41;c1'");
    command("squeue", "cat " + (scratch / "queue").string() +
                          " 2>/dev/null || { echo 'Invalid job id specified'; exit 1; }");
    path_before = std::getenv("PATH");
    ::setenv("PATH", (bin.string() + ":" + path_before).c_str(), 1);
    const Study study =
        apply_request(find_study("minatar-replay"), {.seeds = 1, .envs = {"minatar/breakout"}});
    runs = plan(study, scratch / "out dir");
    options.out = scratch / "out dir";
    options.program = "/bin/true";
  }

  ~SlurmTest() override { ::setenv("PATH", path_before.c_str(), 1); }

  void command(const std::string& name, const std::string& script) {
    write_file_durably(bin / name, "#!/bin/bash\n" + script + "\n");
    ::chmod((bin / name).c_str(), 0755);
  }

  Execution execute() {
    return SlurmExecutor(options).execute(
        runs, {.pause = [](auto) { return 0; }, .event = [](const RunEvent&) {}, .tick = [] {}});
  }

  test::TemporaryFolder scratch;
  fs::path bin;
  std::string path_before;
  std::vector<PlannedRun> runs;
  SlurmOptions options;
};

TEST_F(SlurmTest, SubmitsOneTaskARun) {
  options.jobs = 3;
  options.sbatch = {"--partition=long"};
  EXPECT_EQ(execute(), Execution::kSubmitted);
  const std::string args = read_text(scratch / "sbatch.args");
  EXPECT_NE(args.find("--array=0-5%3\n"), std::string::npos) << args;
  EXPECT_NE(args.find("--partition=long\n"), std::string::npos);
  EXPECT_NE(args.find("--requeue\n"), std::string::npos);
  EXPECT_EQ(read_text(options.out / "slurm" / "1.job"), "41\n");
  EXPECT_EQ(
      read_text(options.out / "slurm" / "1.runs").substr(0, 200).find(runs[0].folder.string()), 0u);
  EXPECT_TRUE(fs::exists(runs[5].folder / "config.toml"));
}

TEST_F(SlurmTest, RefusesASecondArrayWhileTheFirstLives) {
  execute();
  write_file_durably(scratch / "queue", "41_[0-5] cpu tarl PENDING\n");
  EXPECT_EQ(live_slurm_jobs(options.out), std::vector<std::string>{"41"});
  EXPECT_THROW(execute(), Error);
  fs::remove(scratch / "queue");
  EXPECT_TRUE(live_slurm_jobs(options.out).empty());
  EXPECT_EQ(execute(), Execution::kSubmitted);
  EXPECT_TRUE(fs::exists(options.out / "slurm" / "2.job"));
}

TEST_F(SlurmTest, CountsAJobAsLivingWhileNobodyCanTell) {
  execute();
  command("squeue", "echo 'Unable to contact slurm controller'; exit 1");
  EXPECT_EQ(live_slurm_jobs(options.out).size(), 1u);
}

TEST_F(SlurmTest, SaysInOneLineWhyNothingWasSubmitted) {
  command("sbatch",
          "echo 'sbatch: error: no controller' >&2; echo >&2; echo 'sbatch: error: again' >&2; "
          "exit 1");
  EXPECT_EQ(test::error_of([&] { execute(); }),
            "sbatch failed with exit code 1: sbatch: error: no controller; sbatch: error: again; "
            "run the same command again when Slurm takes jobs, or with --executor local");
}

// The script of a task, with srun, squeue and scontrol played by stand-ins.
struct SlurmScriptTest : SlurmTest {
  std::string run_task(const std::string& srun, const std::string& state) {
    command("srun", srun);
    command("squeue", "echo " + state);
    command("scontrol", "echo \"$@\" >>" + (scratch / "requeued").string());
    command("sleep", "");
    write_file_durably(scratch / "runs", "first\n" + (scratch / "a folder").string() + "\n");
    make_directories(scratch / "a folder");
    write_file_durably(scratch / "a folder" / "lock", "stale");
    write_file_durably(scratch / "task.sh",
                       slurm_script("/bin/true", scratch / "runs", 3, {"--plugin", "/a b.so"}));
    ::setenv("SLURM_ARRAY_TASK_ID", "1", 1);
    ::setenv("SLURM_ARRAY_JOB_ID", "41", 1);
    try {
      output_of({"bash", (scratch / "task.sh").string()});
      return "exit code 0";
    } catch (const Error& problem) {
      return problem.what();
    }
  }

  std::string requeued() {
    return fs::exists(scratch / "requeued") ? read_text(scratch / "requeued") : "";
  }
};

TEST_F(SlurmScriptTest, RunsTheRunOfItsLine) {
  const std::string seen = (scratch / "seen").string();
  EXPECT_EQ(run_task("echo \"${@: -6}\" >>" + seen, "RUNNING"), "exit code 0");
  EXPECT_EQ(read_text(seen),
            "--plugin /a b.so train --resume --out " + (scratch / "a folder").string() + "\n");
  EXPECT_TRUE(fs::exists(scratch / "a folder" / "lock"));
}

TEST_F(SlurmScriptTest, PutsAStoppedRunBackIntoTheQueue) {
  EXPECT_NE(run_task("exit 75", "RUNNING").find("exit code 75"), std::string::npos);
  EXPECT_EQ(requeued(), "requeue 41_1\n");
}

TEST_F(SlurmScriptTest, LeavesACancelledRunAlone) {
  EXPECT_NE(run_task("exit 75", "COMPLETING").find("exit code 75"), std::string::npos);
  EXPECT_EQ(requeued(), "");
}

TEST_F(SlurmScriptTest, TriesACrashedRunAgainAndThenFails) {
  const std::string seen = (scratch / "seen").string();
  EXPECT_NE(run_task("echo x >>" + seen + "; exit 137", "RUNNING").find("exit code 1:"),
            std::string::npos);
  EXPECT_EQ(read_text(seen), "x\nx\nx\nx\n");
}

TEST_F(SlurmScriptTest, DoesNotRepeatWhatWouldComeAgain) {
  const std::string seen = (scratch / "seen").string();
  for (const std::string code : {"2", "3"}) {
    EXPECT_NE(run_task("echo x >>" + seen + "; exit " + code, "RUNNING").find("exit code " + code),
              std::string::npos);
  }
  EXPECT_EQ(read_text(seen), "x\nx\n");
}

TEST_F(SlurmScriptTest, TakesTheLockOfItsOwnEarlierLife) {
  ::setenv("SLURM_RESTART_COUNT", "1", 1);
  run_task("exit 0", "RUNNING");
  ::unsetenv("SLURM_RESTART_COUNT");
  EXPECT_FALSE(fs::exists(scratch / "a folder" / "lock"));
}

}  // namespace
}  // namespace tarl::study
