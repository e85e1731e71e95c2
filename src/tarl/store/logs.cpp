// SPDX-License-Identifier: MIT
#include "tarl/store/logs.h"

#include <algorithm>

#include "tarl/core/formats/json.h"
#include "tarl/core/formats/number.h"
#include "tarl/core/formats/tfevents.h"
#include "tarl/store/run_files.h"

namespace tarl::store {

namespace {

std::string monitor_header(const std::string& env_id) {
  Json header;
  header["t_start"] = 0.0;  // episode times count environment steps from here
  header["env_id"] = env_id;
  return "#" + json_line(header) + "\nr,l,t\n";
}

LogOptions in_memory(LogOptions options) {
  options.tensorboard = options.csv = options.trace = false;
  return options;
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

RunLogs::RunLogs(fs::path folder, LogOptions options)
    : folder_(std::move(folder)),
      options_(on_disk() ? std::move(options) : in_memory(std::move(options))),
      progress_(folder_ / kProgressFile),
      timing_(folder_ / kTimingFile, options_.csv ? options_.clock : TimingLog::Clock{}),
      monitor_{kMonitorFile, monitor_header(options_.env_id)},
      evaluations_{kEvaluationsTable, "timesteps,episode,return,length\n"},
      events_{kEventsFile, text_of(encode_event_header(kEventEpoch))},
      trace_(folder_, options_.trace) {}

void RunLogs::check() const {
  if (options_.check) options_.check();
}

void RunLogs::begin(Log& log) const {
  log.file = std::make_unique<AppendFile>(folder_ / log.name, 0);
  log.file->append(log.header);
}

void RunLogs::start() {
  if (started_) return;
  check();
  started_ = true;
  if (options_.csv) {
    begin(monitor_);
    begin(evaluations_);
    progress_.start();
  }
  if (options_.tensorboard) begin(events_);
  trace_.start();
  write_npz();
  if (on_disk()) sync_directory(folder_);
}

void RunLogs::episode(double ret, std::int64_t length, std::int64_t step) {
  start();
  if (monitor_.file) {
    monitor_.file->append(format_number(ret) + "," + std::to_string(length) + "," +
                          std::to_string(step) + "\n");
  }
  if (options_.watch.episode) options_.watch.episode(ret, length, step);
}

void RunLogs::progress(std::int64_t step, const LogRow& row) {
  start();
  LogRow full = row;
  const bool has_step = std::any_of(row.begin(), row.end(),
                                    [](const auto& cell) { return cell.first == kStepColumn; });
  if (!has_step) full.insert(full.begin(), {kStepColumn, static_cast<double>(step)});
  if (options_.csv) {
    check();  // a new column replaces the file
    progress_.append(full);
  }
  if (events_.file) events_.file->append(encode_scalars(kEventEpoch, step, full));
  if (options_.watch.row) options_.watch.row(step, full);
}

bool RunLogs::evaluation(std::int64_t step, std::span<const double> returns,
                         std::span<const std::int64_t> lengths) {
  start();
  require(returns.size() == lengths.size(), "one length an episode");
  require(made_.count() == 0 || returns.size() == made_.episodes(),
          "every evaluation has the same number of episodes");
  const bool best = mean_of(returns) > best_mean(made_);
  made_.timesteps.push_back(step);
  made_.returns.insert(made_.returns.end(), returns.begin(), returns.end());
  made_.lengths.insert(made_.lengths.end(), lengths.begin(), lengths.end());
  std::string rows;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    rows += std::to_string(step) + "," + std::to_string(i) + "," + format_number(returns[i]) + "," +
            std::to_string(lengths[i]) + "\n";
  }
  if (evaluations_.file) evaluations_.file->append(rows);
  write_npz();
  if (options_.watch.evaluation) options_.watch.evaluation(step, returns, lengths);
  return best;
}

void RunLogs::begin_timing(std::int64_t step, std::int64_t updates) {
  timing_.begin(step, updates);
}

void RunLogs::timing(std::int64_t step, std::int64_t updates) {
  check();
  timing_.append(step, updates);
}

void RunLogs::trace(const Trace& updates) {
  start();
  trace_.append(updates);
}

void RunLogs::write_npz() const {
  if (!on_disk()) return;
  check();
  write_evaluations(folder_ / kEvaluationsFile, made_);
}

void RunLogs::save_log(Log& log, StateWriter& out) const {
  if (log.file) {
    log.file->sync();
    log.length = log.file->size();
  }
  if (log.length) out.put(log.name, *log.length);
}

void RunLogs::save(StateWriter& out) {
  start();
  check();
  for (Log* log : {&monitor_, &evaluations_, &events_}) save_log(*log, out);
  StateWriter group = out.group(kProgressFile);
  progress_.save(group);
  store::save(made_, out);
  trace_.save(out);
}

void RunLogs::finish() {
  Tensors positions;
  StateWriter writer(positions);
  save(writer);
  trace_.finish();
}

void RunLogs::load_log(Log& log, bool on, const StateReader& in) const {
  if (in.has(log.name)) in.get(log.name, log.length.emplace());
  if (!on) return;
  if (log.length) {
    log.file = std::make_unique<AppendFile>(folder_ / log.name, *log.length);
  } else {
    begin(log);
  }
}

void RunLogs::load(const StateReader& in) {
  check();
  started_ = true;
  load_log(monitor_, options_.csv, in);
  load_log(evaluations_, options_.csv, in);
  progress_.load(in.group(kProgressFile), options_.csv);
  load_log(events_, options_.tensorboard, in);
  made_ = load_evaluations(in);
  trace_.load(in);
  write_npz();
  if (on_disk()) sync_directory(folder_);
}

}  // namespace tarl::store
