// SPDX-License-Identifier: MIT
#include "tarl/study/executors/slurm_executor.h"

#include <cstdlib>

#include "support/errors.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tarl/core/error.h"
#include "tarl/study/executors/child_process.h"
#include "tarl/study/executors/fleet_share.h"
#include "tarl/study/executors/slurm_jobs.h"
#include "tarl/study/plan/study_folder.h"

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

// Slurm replaces %A, %j and others in the names of its logs.
TEST_F(SlurmTest, AFolderWithAPercentSignKeepsItsName) {
  options.out = scratch / "50%j";
  EXPECT_EQ(execute(), Execution::kSubmitted);
  const std::string args = read_text(scratch / "sbatch.args");
  EXPECT_NE(args.find("/50%%j/slurm/%A_%a.log\n"), std::string::npos) << args;
  EXPECT_TRUE(fs::exists(options.out / "slurm" / "1.job"));
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

// Shares of the runs on GPUs.
struct SlurmSharesTest : SlurmTest {
  SlurmSharesTest() {
    const Study study =
        apply_request(study_of("control", {"sac"}, {"classic/pendulum"}), {.seeds = 7});
    runs = plan(study, scratch / "out dir");
    options.on_gpus = true;
  }
};

TEST_F(SlurmSharesTest, FollowFromTasksOrFromRunsPerTask) {
  const auto shares = [&](std::size_t tasks, std::size_t runs_per_task) {
    options.tasks = tasks;
    options.runs_per_task = runs_per_task;
    const SlurmShares found = shares_of(options, 7);
    return std::pair(found.tasks, found.at_once);
  };
  EXPECT_EQ(shares(3, 0), std::pair(3UL, 3UL));
  EXPECT_EQ(shares(9, 0), std::pair(7UL, 1UL));
  EXPECT_EQ(shares(0, 3), std::pair(3UL, 3UL));
  EXPECT_EQ(shares(0, 60), std::pair(1UL, 60UL));
  EXPECT_EQ(shares(2, 2), std::pair(2UL, 2UL));
  options.tasks = 0;
  options.runs_per_task = 1;
  EXPECT_THROW(shares_of(options, 1001), UsageError);
  options.on_gpus = false;
  EXPECT_EQ(shares_of(options, 1001).tasks, 0UL);
}

TEST_F(SlurmSharesTest, SubmitsOneArrayWithAGpuATask) {
  options.tasks = 3;
  EXPECT_EQ(execute(), Execution::kSubmitted);
  const std::string args = read_text(scratch / "sbatch.args");
  EXPECT_NE(args.find("--array=0-2\n"), std::string::npos) << args;
  EXPECT_NE(args.find("--gres=gpu:1\n"), std::string::npos) << args;
  const std::string script = read_text(options.out / "slurm" / "1.sh");
  EXPECT_NE(script.find(" study work '" + options.out.string() + "' --runs '" +
                        (options.out / "slurm" / "1.runs").string() +
                        "' --task \"$SLURM_ARRAY_TASK_ID\" --tasks 3 --jobs 3 --retries 3\n"),
            std::string::npos)
      << script;
}

TEST_F(SlurmSharesTest, LeaveTheKindOfGpuToTheUser) {
  options.runs_per_task = 7;
  options.sbatch = {"--gpus-per-task=h100:1"};
  execute();
  EXPECT_EQ(read_text(scratch / "sbatch.args").find("--gres"), std::string::npos);
}

TEST_F(SlurmSharesTest, RefuseWhatNoFleetRunsByName) {
  options.tasks = 1;
  runs[2].config = train::resolve({.algo = "sac+per", .env = "classic/pendulum"});
  const std::string problem = test::error_of([&] { execute(); });
  EXPECT_EQ(problem.find(runs[2].name() + ": "), 0UL) << problem;
  EXPECT_NE(problem.find("a fleet has no replay.kind = per"), std::string::npos) << problem;
  EXPECT_FALSE(fs::exists(runs[0].folder));
}

TEST_F(SlurmSharesTest, ATaskBeginsWithItsOwnRuns) {
  options.tasks = 3;
  execute();
  join_folder(options.out,
              apply_request(study_of("control", {"sac"}, {"classic/pendulum"}), {.seeds = 7}));
  const FleetShare share{
      .out = options.out, .runs = options.out / "slurm" / "1.runs", .task = 1, .tasks = 3};
  std::vector<std::int64_t> seeds;
  for (const PlannedRun& run : runs_for_task(share)) seeds.push_back(run.seed);
  EXPECT_EQ(seeds, (std::vector<std::int64_t>{2, 3, 4, 5, 6, 0, 1}));
  write_file_durably(share.runs, std::string("/elsewhere\n"));
  EXPECT_NE(test::error_of([&] { runs_for_task(share); }).find("submit the study again"),
            std::string::npos);
}

TEST_F(SlurmTest, KnowsWhetherALifeOfAJobIsOver) {
  const store::BatchJob job{41, 1};
  EXPECT_TRUE(has_ended(job));  // the stand-in knows no job
  const auto says = [&](const std::string& line) {
    write_file_durably(scratch / "queue", line);
    return has_ended(job);
  };
  EXPECT_TRUE(says(""));
  EXPECT_FALSE(says("RUNNING             1                   \n"));
  EXPECT_TRUE(says("RUNNING             2                   \n"));
  EXPECT_TRUE(says("PENDING             1                   \n"));
  EXPECT_FALSE(says("COMPLETING          1                   \n"));
  command("squeue", "echo 'Unable to contact slurm controller'; exit 1");
  EXPECT_FALSE(has_ended(job));
}

// The script of a task, with srun, squeue and scontrol played by stand-ins.
struct SlurmScriptTest : SlurmTest {
  std::string run_task(const std::string& srun, const std::string& state) {
    command("srun", srun);
    command("squeue", "echo " + state);
    command("scontrol", "echo \"$@\" >>" + (scratch / "requeued").string());
    command("sleep", "");
    write_file_durably(scratch / "runs", "first\n" + folder.string() + "\n");
    make_directories(folder);
    write_file_durably(folder / "lock", "stale");
    write_file_durably(scratch / "task.sh", slurm_script({.program = "/bin/true",
                                                          .arguments = {"--plugin", "/a b.so"},
                                                          .out = scratch / "out",
                                                          .runs = scratch / "runs",
                                                          .retries = 3,
                                                          .shares = shares}));
    ::setenv("SLURM_ARRAY_TASK_ID", "1", 1);
    ::setenv("SLURM_ARRAY_JOB_ID", "41", 1);
    try {
      output_of({"bash", (scratch / "task.sh").string()});
      return "exit code 0";
    } catch (const Error& problem) {
      return problem.what();
    }
  }

  SlurmShares shares;
  fs::path folder = scratch / "a folder";

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

TEST_F(SlurmScriptTest, AFolderWithAPercentSignKeepsItsName) {
  const std::string seen = (scratch / "seen").string();
  folder = scratch / "50%j";
  EXPECT_EQ(run_task("echo \"$3|${@: -1}\" >>" + seen, "RUNNING"), "exit code 0");
  EXPECT_EQ(read_text(seen),
            "--output=" + scratch.path().string() + "/50%%j/train.log|" + folder.string() + "\n");
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

TEST_F(SlurmScriptTest, RunsTheShareOfItsTaskWithAllItsProcessors) {
  const std::string seen = (scratch / "seen").string();
  shares = {.tasks = 2, .at_once = 5};
  ::setenv("SLURM_CPUS_PER_TASK", "8", 1);
  EXPECT_EQ(run_task("echo \"$@\" >>" + seen, "RUNNING"), "exit code 0");
  ::unsetenv("SLURM_CPUS_PER_TASK");
  EXPECT_EQ(read_text(seen), "--ntasks=1 --cpus-per-task=8 /bin/true --plugin /a b.so study work " +
                                 (scratch / "out").string() + " --runs " +
                                 (scratch / "runs").string() +
                                 " --task 1 --tasks 2 --jobs 5 --retries 3\n");
  EXPECT_TRUE(fs::exists(scratch / "a folder" / "lock"));
}

TEST_F(SlurmScriptTest, TakesTheLockOfItsOwnEarlierLife) {
  ::setenv("SLURM_RESTART_COUNT", "1", 1);
  run_task("exit 0", "RUNNING");
  ::unsetenv("SLURM_RESTART_COUNT");
  EXPECT_FALSE(fs::exists(scratch / "a folder" / "lock"));
}

}  // namespace
}  // namespace tarl::study
