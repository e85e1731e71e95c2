// SPDX-License-Identifier: MIT
#include "tarl/study/executors/slurm_jobs.h"

#include <algorithm>
#include <optional>
#include <sstream>

#include "tarl/core/error.h"
#include "tarl/study/executors/child_process.h"

namespace tarl::study {

namespace {

// What squeue prints about a job: nothing about one that has ended. No value while it cannot tell.
std::optional<std::string> asked_squeue(const std::string& job, const std::string& format) {
  std::vector<std::string> command = {"squeue", "--noheader", "--jobs=" + job};
  if (!format.empty()) command.push_back("--Format=" + format);
  try {
    return output_of(command);
  } catch (const Error& problem) {
    // It fails on a job it has forgotten.
    if (std::string(problem.what()).find("Invalid job id") != std::string::npos) return "";
    return std::nullopt;
  }
}

std::string first_word_of(const std::string& text) {
  std::string word;
  std::istringstream(text) >> word;
  return word;
}

}  // namespace

std::vector<std::string> live_slurm_jobs(const fs::path& out) {
  std::vector<std::string> live;
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(out / kSlurmFolder, unknown)) {
    if (entry.path().extension() != ".job") continue;
    const std::string job = first_word_of(read_text(entry.path()));
    const auto answer = asked_squeue(job, "");
    if (!answer || !first_word_of(*answer).empty()) live.push_back(job);
  }
  std::sort(live.begin(), live.end());
  return live;
}

bool has_ended(const store::BatchJob& job) {
  const auto mine = store::this_batch_job();
  if (mine && mine->number == job.number) return job.restarts < mine->restarts;
  const auto answer = asked_squeue(std::to_string(job.number), "State:20,RestartCnt:20");
  if (!answer) return false;
  std::string state;
  std::int64_t restarts = 0;
  if (!(std::istringstream(*answer) >> state >> restarts)) return first_word_of(*answer).empty();
  if (state == "COMPLETING") return false;
  return state == "PENDING" || restarts > job.restarts;
}

}  // namespace tarl::study
