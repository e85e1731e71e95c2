// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/core/state.h"

namespace tarl::store {

// The column with the environment step after which a row was written.
inline constexpr const char* kStepColumn = "time/total_timesteps";

// A CSV that may gain columns. A column that appears later is added on the right: the file is
// rewritten with the wider header and empty cells for earlier rows, as Stable-Baselines3's logger
// does. Cells without a value are empty.
class ProgressCsv {
 public:
  explicit ProgressCsv(fs::path path) : path_(std::move(path)) {}

  void start();  // an empty file
  void append(const std::vector<std::pair<std::string, double>>& row);

  // Durable up to here. For a file that is off, its length when it was last on; nothing if it never
  // was.
  void save(StateWriter& out);
  // Back to the state at save(): later rows and columns are removed. Starts the file if save() had
  // none. With `on` false, only remembers the length and leaves the file as it is.
  void load(const StateReader& in, bool on = true);

 private:
  void widen(const std::vector<std::string>& added);
  void narrow(std::uint64_t size);
  std::string header() const;

  fs::path path_;
  std::vector<std::string> columns_;
  std::unique_ptr<AppendFile> file_;     // null while off
  std::optional<std::uint64_t> length_;  // of a file that is off, when it was last on
};

// The columns of such a file, NaN if a cell is empty or not a number. A line cut short by a kill is
// skipped.
std::map<std::string, std::vector<double>> read_progress(const fs::path& file);

}  // namespace tarl::store
