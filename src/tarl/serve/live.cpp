// SPDX-License-Identifier: MIT
#include "tarl/serve/live.h"

#include <cmath>
#include <map>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/serve/assets.h"
#include "tarl/store/run_files.h"
#include "tarl/study/plan/study_folder.h"
#include "tarl/study/results/run.h"
#include "tarl/study/results/run_state.h"

namespace tarl::serve {

namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kJson = "application/json";
constexpr std::uintmax_t kMaxPage = 64u << 20;  // bytes

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Json study_status(const fs::path& folder) {
  const study::Study study = study::stored_study(folder);
  const study::Survey survey = study::survey(study::plan(study, folder));
  Json json = {{"name", study.name}, {"runs", survey.states.size()}};
  using Phase = study::RunPhase;
  for (const Phase phase :
       {Phase::kFinished, Phase::kRunning, Phase::kStopped, Phase::kFailed, Phase::kMissing}) {
    json[study::phase_name(phase)] = survey.count(phase);
  }
  const auto session = study::load_session(folder);
  if (session && survey.count(Phase::kRunning) > 0) {
    const auto left =
        study::seconds_left(*session, seconds_since_1970(), survey.steps_done, survey.steps_total);
    // In whole minutes, so that listeners are not told every second.
    if (left) json["seconds_left"] = 60 * std::ceil(*left / 60);
  }
  return json;
}

// A folder that no study made knows of no missing runs.
Json plain_status(const fs::path& folder) {
  using Status = store::RunStatus;
  std::map<Status, int> counts;
  int runs = 0;
  for (const fs::path& run : study::find_run_folders(folder)) {
    ++runs;
    ++counts[study::written_status(run).value_or(Status::kStopped)];
  }
  return {{"name", folder.filename().string()},
          {"runs", runs},
          {"done", counts[Status::kFinished]},
          {"running", counts[Status::kRunning]},
          {"stopped", counts[Status::kStopped]},
          {"failed", counts[Status::kFailed]},
          {"missing", 0}};
}

}  // namespace

std::uint64_t fingerprint(const fs::path& folder) {
  std::string all;
  for (const fs::path& run : study::find_run_folders(folder)) {
    all += run.string();
    for (const char* file : {store::kEvaluationsFile, store::kInfoFile}) {
      std::error_code unknown;
      const auto time = fs::last_write_time(run / file, unknown).time_since_epoch().count();
      all += " " + std::to_string(unknown ? 0 : time);
    }
  }
  return xxh3(std::as_bytes(std::span(all)));
}

std::string status_json(const fs::path& folder) {
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown)) {
    return json_line(Json{{"name", folder.filename().string()},
                          {"problem", "the folder " + folder.string() + " is gone"}});
  }
  const Json json = fs::exists(folder / "study.toml") ? study_status(folder) : plain_status(folder);
  return json_line(json);
}

std::string live_page(std::string html) {
  const std::size_t end = html.rfind("</body>");
  html.insert(end == std::string::npos ? html.size() : end, embedded(kLiveAssets, "badge.html"));
  return html;
}

LiveReport::LiveReport(Server& server, LiveOptions options)
    : server_(server), options_(std::move(options)), scratch_("tarl-serve") {
  for (const char* path : {"/", "/report.html"})
    server_.show(path, kHtml, live_page(embedded(kLiveAssets, "waiting.html")));
  server_.show("/status.json", kJson, "{}");
}

void LiveReport::step() {
  if (writer_) {
    if (const auto status = writer_->poll()) finish_report(*status);
  }
  const Clock::time_point now = Clock::now();
  if (now - looked_ < options_.look) return;
  look();
  looked_ = Clock::now();
  const bool due = reported_ == Clock::time_point{} || now - reported_ >= options_.between;
  if (!writer_ && due && seen_ != shown_) start_report();
}

void LiveReport::look() {
  try {
    std::string status = status_json(options_.folder);
    if (fs::is_directory(options_.folder)) seen_ = fingerprint(options_.folder);
    if (status == status_) return;
    status_ = std::move(status);
  } catch (const std::exception&) {
    return;  // files come and go while runs work on them; the next look sees more
  }
  server_.show("/status.json", kJson, status_);
  server_.announce("status", status_);
}

void LiveReport::start_report() {
  shown_ = seen_;
  reported_ = Clock::now();
  study::ChildOptions options{options_.write_report, {}, {}};
  options.command.push_back((scratch_ / "report.html").string());
  writer_.emplace(options);
}

void LiveReport::finish_report(int status) {
  writer_.reset();
  const fs::path file = scratch_ / "report.html";
  std::error_code unknown;
  if (status != 0 || fs::file_size(file, unknown) > kMaxPage || unknown) return;
  const std::string page = live_page(read_text(file, kMaxPage));
  for (const char* path : {"/", "/report.html"}) server_.show(path, kHtml, page);
  server_.announce("report", "new");
}

}  // namespace tarl::serve
