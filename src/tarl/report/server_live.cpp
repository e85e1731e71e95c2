// SPDX-License-Identifier: MIT
#include "tarl/report/server_live.h"

#include <cmath>
#include <map>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/study/results_run.h"
#include "tarl/study/run_state.h"
#include "tarl/study/study_folder.h"

namespace tarl::report {

namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kJson = "application/json";
constexpr std::uintmax_t kMaxPage = 64u << 20;  // bytes

constexpr const char* kWaiting =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>tarl</title>"
    "<meta name=\"viewport\" content=\"width=device-width\"><style>body{font:16px system-ui,"
    "sans-serif;margin:4em auto;max-width:36em;padding:0 1em;color-scheme:light "
    "dark}</style></head>"
    "<body><h1>No results yet</h1><p>This page shows them as soon as the first evaluation is done."
    "</p></body></html>";

// Loads the page again only while nobody is busy with it.
constexpr const char* kBadge = R"html(
<div id="tarl-live" style="position:fixed;right:12px;bottom:12px;padding:5px 12px;border-radius:14px;background:#24527a;color:#fff;font:13px system-ui,sans-serif;z-index:99;cursor:pointer">live</div>
<style>@media print{#tarl-live{display:none}}</style>
<script>
(() => {
  const badge = document.getElementById("tarl-live");
  let fresh = false, touched = 0;
  for (const kind of ["pointermove", "pointerdown", "keydown", "wheel"]) {
    addEventListener(kind, () => { touched = Date.now(); }, { passive: true });
  }
  const show = s => {
    if (s.problem) { badge.textContent = s.problem; return; }
    let text = `live: ${s.done} of ${s.runs} done, ${s.running} running`;
    if (s.failed) text += `, ${s.failed} failed`;
    if (s.seconds_left) text += `, ${Math.ceil(s.seconds_left / 60)} min left`;
    badge.textContent = fresh ? "new results: click to show" : text;
  };
  const events = new EventSource("/events");
  events.addEventListener("status", e => show(JSON.parse(e.data)));
  events.addEventListener("report", () => { fresh = true; badge.textContent = "new results: click to show"; });
  events.onerror = () => { badge.textContent = "not connected"; };
  badge.onclick = () => location.reload();
  setInterval(() => { if (fresh && Date.now() - touched > 8000) location.reload(); }, 500);
  fetch("/status.json").then(r => r.json()).then(show).catch(() => {});
})();
</script>
)html";

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
  using Status = train::RunStatus;
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
    for (const char* file : {"evaluations.npz", "run.json"}) {
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
  html.insert(end == std::string::npos ? html.size() : end, kBadge);
  return html;
}

LiveReport::LiveReport(Server& server, LiveOptions options)
    : server_(server), options_(std::move(options)), scratch_("tarl-serve") {
  for (const char* path : {"/", "/report.html"}) server_.show(path, kHtml, live_page(kWaiting));
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

}  // namespace tarl::report
