// SPDX-License-Identifier: MIT
#include "tarl/train/logs.h"

#include <algorithm>

#include "tarl/core/formats/json.h"
#include "tarl/core/formats/npz.h"
#include "tarl/core/formats/number.h"
#include "tarl/core/formats/tfevents.h"

namespace tarl::train {

namespace {

// Where TensorBoard's time axis starts: 2020-01-01, for every run.
constexpr double kEpoch = 1577836800.0;
constexpr const char* kStepColumn = "time/total_timesteps";

std::string monitor_header(const std::string& env_id) {
  Json header;
  header["t_start"] = 0.0;  // episode times count environment steps from here
  header["env_id"] = env_id;
  return "#" + json_line(header) + "\nr,l,t\n";
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

RunLogs::RunLogs(fs::path folder, LogOptions options)
    : folder_(std::move(folder)),
      options_(std::move(options)),
      monitor_{"monitor.csv", monitor_header(options_.env_id), nullptr},
      evaluations_{"evaluations.csv", "timesteps,episode,return,length\n", nullptr},
      events_{"events.out.tfevents.0.tarl", text_of(encode_event_header(kEpoch)), nullptr} {}

void RunLogs::start() {
  if (started_) return;
  started_ = true;
  const auto open = [this](Log& log) {
    log.file = std::make_unique<AppendFile>(folder_ / log.name, 0);
    log.file->append(log.header);
  };
  if (options_.csv) {
    open(monitor_);
    open(evaluations_);
    progress_ = std::make_unique<ProgressCsv>(folder_ / "progress.csv");
    progress_->start();
  }
  if (options_.tensorboard) open(events_);
  write_npz();
  sync_directory(folder_);
}

void RunLogs::episode(double ret, std::int64_t length, std::int64_t step) {
  start();
  if (!monitor_.file) return;
  monitor_.file->append(format_number(ret) + "," + std::to_string(length) + "," +
                        std::to_string(step) + "\n");
}

void RunLogs::progress(std::int64_t step, const std::vector<std::pair<std::string, double>>& row) {
  start();
  std::vector<std::pair<std::string, double>> full = row;
  const bool has_step = std::any_of(row.begin(), row.end(),
                                    [](const auto& cell) { return cell.first == kStepColumn; });
  if (!has_step) full.insert(full.begin(), {kStepColumn, static_cast<double>(step)});
  if (progress_) progress_->append(full);
  if (events_.file) events_.file->append(encode_scalars(kEpoch, step, full));
}

void RunLogs::evaluation(std::int64_t step, std::span<const double> returns,
                         std::span<const std::int64_t> lengths) {
  start();
  require(returns.size() == lengths.size(), "one length an episode");
  require(timesteps_.empty() || returns.size() * timesteps_.size() == results_.size(),
          "every evaluation has the same number of episodes");
  timesteps_.push_back(step);
  results_.insert(results_.end(), returns.begin(), returns.end());
  lengths_.insert(lengths_.end(), lengths.begin(), lengths.end());
  std::string rows;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    rows += std::to_string(step) + "," + std::to_string(i) + "," + format_number(returns[i]) + "," +
            std::to_string(lengths[i]) + "\n";
  }
  if (evaluations_.file) evaluations_.file->append(rows);
  write_npz();
}

void RunLogs::write_npz() const {
  const auto count = static_cast<std::int64_t>(timesteps_.size());
  const std::int64_t episodes = count == 0 ? 0 : static_cast<std::int64_t>(results_.size()) / count;
  const NamedTensor arrays[] = {
      {"timesteps", Tensor::of(std::span(timesteps_.data(), timesteps_.size()), {count})},
      {"results", Tensor::of(std::span(results_), {count, episodes})},
      {"ep_lengths", Tensor::of(std::span(lengths_), {count, episodes})}};
  save_npz(folder_ / "evaluations.npz", arrays);
}

void RunLogs::save(StateWriter& out) {
  start();
  for (Log* log : {&monitor_, &evaluations_, &events_}) {
    if (!log->file) continue;
    log->file->sync();
    out.put(log->name, log->file->size());
  }
  if (progress_) {
    StateWriter group = out.group("progress.csv");
    progress_->save(group);
  }
  out.put("timesteps", timesteps_);
  out.put("results", results_);
  out.put("ep_lengths", lengths_);
}

void RunLogs::load(const StateReader& in) {
  started_ = true;
  const auto open = [this, &in](Log& log) {
    std::uint64_t size = 0;
    in.get(log.name, size);
    log.file = std::make_unique<AppendFile>(folder_ / log.name, size);
  };
  if (options_.csv) {
    open(monitor_);
    open(evaluations_);
    progress_ = std::make_unique<ProgressCsv>(folder_ / "progress.csv");
    progress_->load(in.group("progress.csv"));
  }
  if (options_.tensorboard) open(events_);
  timesteps_ = in.get_vector<std::int64_t>("timesteps");
  results_ = in.get_vector<double>("results");
  lengths_ = in.get_vector<std::int64_t>("ep_lengths");
  write_npz();
  sync_directory(folder_);
}

}  // namespace tarl::train
