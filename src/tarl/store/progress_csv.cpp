// SPDX-License-Identifier: MIT
#include "tarl/store/progress_csv.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "tarl/core/formats/number.h"

namespace tarl::store {

namespace {

std::string join(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : ",") + cells[i];
  return line;
}

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> cells;
  if (line.empty()) return cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

// The first `count` cells of a line, with their commas.
std::string first_cells(const std::string& line, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t cell = 0; cell < count; ++cell) {
    end = std::min(line.find(',', cell == 0 ? 0 : end + 1), line.size());
  }
  return line.substr(0, end);
}

}  // namespace

std::string ProgressCsv::header() const {
  return columns_.empty() ? "" : join(columns_) + "\n";
}

void ProgressCsv::start() {
  columns_.clear();
  file_ = std::make_unique<AppendFile>(path_, 0);
}

void ProgressCsv::append(const std::vector<std::pair<std::string, double>>& row) {
  std::vector<std::string> added;
  for (const auto& [name, value] : row) {
    require(name.find_first_of(",\"\n\r") == std::string::npos, "column name");
    if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) added.push_back(name);
  }
  if (!added.empty()) widen(added);
  std::vector<std::string> cells(columns_.size());
  for (const auto& [name, value] : row) {
    const auto column = std::find(columns_.begin(), columns_.end(), name) - columns_.begin();
    cells[static_cast<std::size_t>(column)] = format_number(value);
  }
  file_->append(join(cells) + "\n");
}

void ProgressCsv::widen(const std::vector<std::string>& added) {
  const std::string before = read_text(path_, kMostTable);
  const std::string padding(added.size(), ',');
  columns_.insert(columns_.end(), added.begin(), added.end());
  std::string text = header();
  std::istringstream lines(before);
  std::string line;
  for (bool first = true; std::getline(lines, line); first = false) {
    if (!first) text += line + padding + "\n";
  }
  write_file_durably(path_, text);
  file_ = std::make_unique<AppendFile>(path_, text.size());
}

void ProgressCsv::save(StateWriter& out) {
  if (file_) {
    file_->sync();
    length_ = file_->size();
  }
  if (!length_) return;
  out.put("columns", join(columns_));
  out.put("size", *length_);
}

void ProgressCsv::load(const StateReader& in, bool on) {
  if (!in.has("size")) {
    if (on) start();
    return;
  }
  std::string columns;
  in.get("columns", columns);
  in.get("size", length_.emplace());
  columns_ = split(columns);
  if (!on) return;
  const std::string text = read_text(path_, kMostTable);
  if (text.compare(0, header().size(), header()) != 0) narrow(*length_);
  file_ = std::make_unique<AppendFile>(path_, *length_);
}

// Columns are only ever added on the right, so the older file is the left part of this one.
void ProgressCsv::narrow(std::uint64_t size) {
  std::istringstream lines(read_text(path_, kMostTable));
  std::string text;
  for (std::string line; text.size() < size && std::getline(lines, line);) {
    text += first_cells(line, columns_.size()) + "\n";
  }
  if (text.size() != size || text.compare(0, header().size(), header()) != 0) {
    throw Error(path_.string() + " is not the file the checkpoint was saved with; put it back, " +
                "or start the run again in a new folder");
  }
  write_file_durably(path_, text);
}

std::map<std::string, std::vector<double>> read_progress(const fs::path& file) {
  std::istringstream lines(read_text(file, kMostTable));
  std::string line;
  std::getline(lines, line);
  const auto names = split(line);
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(lines, line)) {
    const auto cells = split(line);
    if (cells.size() != names.size()) continue;
    for (std::size_t i = 0; i < names.size(); ++i) {
      columns[names[i]].push_back(parse_number(cells[i], std::numeric_limits<double>::quiet_NaN()));
    }
  }
  return columns;
}

}  // namespace tarl::store
