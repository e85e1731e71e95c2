// SPDX-License-Identifier: MIT
#include "tarl/cli/study_json.h"

namespace tarl::cli {

namespace {

Json planned_json(const study::PlannedRun& run) {
  return {{"env", run.env},
          {"label", run.label},
          {"seed", run.seed},
          {"folder", run.folder.string()},
          {"steps", run.config.steps}};
}

}  // namespace

Json study_json(const study::Study& study) {
  Json json = {{"name", study.name},
               {"title", study.title},
               {"question", study.question},
               {"covers", study.covers},
               {"envs", study.envs},
               {"conditions", Json::array()},
               {"seeds", study.seeds},
               {"runs", static_cast<std::int64_t>(study.envs.size() * study.conditions.size()) *
                            study.seeds}};
  for (const study::Condition& one : study.conditions) json["conditions"].push_back(one.label);
  return json;
}

Json status_json(const study::Study& study, const fs::path& out,
                 std::span<const study::PlannedRun> runs, const study::Survey& survey) {
  using Phase = study::RunPhase;
  Json json = {{"name", study.name},
               {"folder", out.string()},
               {"steps_done", survey.steps_done},
               {"steps_total", survey.steps_total},
               {"counts", Json::object()},
               {"runs", Json::array()}};
  for (const Phase phase :
       {Phase::kFinished, Phase::kRunning, Phase::kStopped, Phase::kFailed, Phase::kMissing}) {
    json["counts"][study::phase_name(phase)] = survey.count(phase);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const study::RunState& state = survey.states[i];
    Json run = planned_json(runs[i]);
    run["phase"] = study::phase_name(state.phase);
    run["step"] = state.step;
    run["score"] = state.score;
    run["seconds"] = state.seconds;
    run["error"] = state.error;
    json["runs"].push_back(std::move(run));
  }
  return json;
}

Json estimate_json(std::span<const study::PlannedRun> runs, const study::Estimate& estimate,
                   std::size_t at_once) {
  Json json = {{"runs", Json::array()},
               {"finished", estimate.finished},
               {"steps", estimate.steps},
               {"steps_left", estimate.steps_left},
               {"core_seconds", estimate.core_seconds},
               {"side_by_side", at_once},
               {"memory_bytes_per_run", estimate.run_memory_bytes},
               {"disk_bytes_per_run", estimate.run_disk_bytes},
               {"disk_bytes_finished", estimate.final_disk_bytes},
               {"device_bytes_per_run", estimate.device_bytes},
               {"unmeasured", estimate.unmeasured}};
  for (const study::PlannedRun& run : runs) json["runs"].push_back(planned_json(run));
  return json;
}

}  // namespace tarl::cli
