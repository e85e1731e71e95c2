// SPDX-License-Identifier: MIT
#include "tarl/serve/live.h"

#include <algorithm>
#include <set>

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/formats/number.h"

namespace tarl::serve {

namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";
constexpr const char* kJson = "application/json";
constexpr std::uintmax_t kMaxPage = 64u << 20;      // bytes
constexpr std::size_t kMostPages = 16;              // generated pages kept
constexpr std::size_t kMostWanted = 16;             // generated pages with waiting requests
constexpr std::size_t kWriters = 2;                 // at a time
constexpr std::chrono::milliseconds kReading{100};  // of runs, before browsers are served
constexpr std::chrono::milliseconds kIdle{300}, kBusyPause{20};
constexpr int kRest = 10;  // scans take at most a fraction 1 / (kRest + 1) of the time
constexpr std::string_view kRunPath = "/run/", kComparePath = "/compare/";

}  // namespace

LivePages::LivePages(Server& server, LiveOptions options)
    : server_(server),
      options_(std::move(options)),
      single_(study::is_run_folder(options_.folder)),
      scratch_("tarl-serve"),
      index_(options_.folder) {
  const std::string name = fs::weakly_canonical(options_.folder).filename().string();
  if (!single_) server_.show("/", kHtml, browser_page(name));
  server_.show("/runs.json", kJson, index_.json());
  server_.show("/status.json", kJson, "{}");
  server_.on_request([this](const std::string& path) { return on_request(path); });
}

std::chrono::milliseconds LivePages::pause() const {
  const bool busy =
      index_.unread() > 0 || std::any_of(written_.begin(), written_.end(),
                                         [](const auto& one) { return one.second.wanted; });
  return busy ? kBusyPause : std::min(kIdle, options_.look);
}

void LivePages::step() {
  for (auto& [path, page] : written_) {
    if (!page.writer) continue;
    if (const auto status = page.writer->poll()) finish(path, page, *status);
  }
  start_writers();
  const Clock::time_point now = Clock::now();
  if (index_.unread() == 0 && next_look_ && now < *next_look_) return;
  look();
  const Clock::time_point after = Clock::now();
  next_look_ = after + std::max<Clock::duration>(options_.look, kRest * (after - now));
}

void LivePages::look() {
  try {
    const std::vector<std::string> changed = index_.look(kReading);
    if (!changed.empty()) {
      server_.show("/runs.json", kJson, index_.json());
      server_.announce("runs", json_line(Json(changed)));
    }
    std::string status = status_json(options_.folder, index_);
    if (status == status_) return;
    status_ = std::move(status);
  } catch (const std::exception&) {
    return;  // files come and go while runs are active; the next scan sees more
  }
  server_.show("/status.json", kJson, status_);
  server_.announce("status", status_);
}

// Without duplicates, all known.
bool LivePages::add_runs(std::string_view ids, Subject& subject) const {
  std::set<std::string> named;
  for (bool more = true; more;) {
    const std::size_t plus = ids.find('+');
    const std::string id(ids.substr(0, plus));
    more = plus != std::string_view::npos;
    if (more) ids.remove_prefix(plus + 1);
    const RunRow* row = index_.find(id);
    if (row == nullptr) return false;
    if (!named.insert(id).second) continue;
    subject.folders.push_back(row->folder);
    subject.ids.push_back(id);
  }
  return true;
}

// Requests name runs by the ids of the index, never by paths: there is no way out of the folder.
std::optional<LivePages::Subject> LivePages::subject_of(const std::string& path) const {
  Subject subject;
  const std::string_view wanted = path;
  if (path == "/report.html" || (path == "/" && single_)) {
    subject.folders.push_back(options_.folder);
  } else if (path.starts_with(kRunPath)) {
    const std::string_view id = wanted.substr(kRunPath.size());
    if (!add_runs(id, subject) || subject.ids.size() != 1) return std::nullopt;
  } else if (path.starts_with(kComparePath)) {
    if (!add_runs(wanted.substr(kComparePath.size()), subject)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  const std::set<std::string> ids(subject.ids.begin(), subject.ids.end());
  std::string versions;
  for (const RunRow* row : index_.rows()) {
    if (ids.empty() || ids.contains(row->id)) versions += std::to_string(row->version) + " ";
  }
  subject.version = xxh3(std::as_bytes(std::span(versions)));
  return subject;
}

PageState LivePages::on_request(const std::string& path) {
  auto subject = subject_of(path);
  if (!subject) return PageState::kAsShown;
  const auto wanted = std::count_if(written_.begin(), written_.end(),
                                    [](const auto& one) { return one.second.wanted; });
  if (!written_.contains(path)) {
    if (static_cast<std::size_t>(wanted) >= kMostWanted) return PageState::kBusy;
    make_room();
  }
  WrittenPage& page = written_[path];
  page.subject = std::move(*subject);
  page.asked = Clock::now();
  if (page.shown == page.subject.version) return PageState::kAsShown;
  page.wanted = true;
  start_writers();
  return PageState::kLater;
}

void LivePages::make_room() {
  while (written_.size() >= kMostPages) {
    auto oldest = written_.end();
    for (auto one = written_.begin(); one != written_.end(); ++one) {
      if (one->second.wanted) continue;
      if (oldest == written_.end() || one->second.asked < oldest->second.asked) oldest = one;
    }
    if (oldest == written_.end()) return;
    server_.hide(oldest->first);
    written_.erase(oldest);
  }
}

fs::path LivePages::file_of(const std::string& path) const {
  return scratch_ / (format_hash(xxh3(std::as_bytes(std::span(path)))) + ".html");
}

void LivePages::start_writers() {
  std::size_t writing = 0;
  std::vector<std::pair<const std::string, WrittenPage>*> waiting;
  for (auto& one : written_) {
    if (one.second.writer) {
      ++writing;
    } else if (one.second.wanted) {
      waiting.push_back(&one);
    }
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const auto* a, const auto* b) { return a->second.asked < b->second.asked; });
  for (auto* one : waiting) {
    if (writing++ >= kWriters) return;
    WrittenPage& page = one->second;
    const fs::path file = file_of(one->first);
    study::ChildOptions child{options_.write_report, fs::path(file).replace_extension(".log"), {}};
    std::error_code unknown;
    fs::remove(child.log, unknown);
    for (const fs::path& folder : page.subject.folders) child.command.push_back(folder.string());
    child.command.insert(child.command.end(), {"--out", file.string()});
    page.begun = page.subject.version;
    page.writer.emplace(child);
  }
}

void LivePages::finish(const std::string& path, WrittenPage& page, int status) {
  page.writer.reset();
  page.wanted = false;
  page.shown = page.begun;
  const fs::path file = file_of(path), log = fs::path(file).replace_extension(".log");
  std::string html;
  try {
    std::error_code unknown;
    const bool good = status == 0 && fs::file_size(file, unknown) <= kMaxPage && !unknown;
    html = good ? read_text(file, kMaxPage) : waiting_page(study::last_line(log));
    fs::remove(file, unknown);
  } catch (const Error& problem) {
    html = waiting_page(problem.what());
  }
  server_.show(path, kHtml, live_page(std::move(html), page.subject.ids, single_));
  // Requests that arrived after it was begun, for newer data, must retry.
  if (page.begun != page.subject.version) {
    server_.announce("runs", json_line(Json(page.subject.ids)));
  }
}

}  // namespace tarl::serve
