// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tarl/core/files.h"
#include "tarl/study/plan/study.h"

namespace tarl::study {

// A folder whose runs are read: a study's, or any other.
struct Source {
  fs::path path;
  std::string name;            // short, and different from the other folders'
  std::string label;           // given to its runs; may be empty
  std::optional<Study> study;  // if it has a study.toml

  // Position of the study's condition that a run belongs to, by its folder below the source.
  std::optional<std::size_t> condition_of(const fs::path& folder) const;

  // Folders below the source of every expected run; nothing without a study.
  std::vector<std::string> planned() const;

 private:
  friend Source open_source(const fs::path& path);
  std::map<std::string, std::size_t> conditions_;  // by the folder that holds their seeds
};

// Throws Error if study.toml cannot be read.
Source open_source(const fs::path& path);

// Names every source by the shortest unique end of its path, which is never a seed alone.
void name_sources(std::vector<Source>& sources);

}  // namespace tarl::study
