// SPDX-License-Identifier: MIT
#include "tarl/study/results/source.h"

#include <algorithm>
#include <set>

#include "tarl/study/plan/study_folder.h"

namespace tarl::study {

namespace {

// The last `count` parts of a path.
std::string end_of(const fs::path& path, std::size_t count) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  fs::path end;
  for (std::size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i) {
    end /= parts[i];
  }
  return end.string();
}

// "seed3" says nothing without the folder around it.
bool names_a_seed(const fs::path& path) {
  const std::string last = path.filename().string();
  return last.starts_with("seed") && last.find_first_not_of("0123456789", 4) == std::string::npos;
}

}  // namespace

std::optional<std::size_t> Source::condition_of(const fs::path& folder) const {
  if (!folder.filename().string().starts_with("seed")) return std::nullopt;
  const auto found = conditions_.find(folder.parent_path().string());
  return found == conditions_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Source::planned() const {
  std::vector<std::string> folders;
  if (!study) return folders;
  for (const std::string& env : study->envs) {
    for (const Condition& condition : study->conditions) {
      for (std::int64_t seed = 0; seed < study->seeds; ++seed) {
        folders.push_back(run_folder(env, condition, seed).string());
      }
    }
  }
  return folders;
}

Source open_source(const fs::path& path) {
  Source source;
  source.path = path;
  if (!has_study(path)) return source;
  source.study = stored_study(path);
  for (const std::string& env : source.study->envs) {
    for (std::size_t i = 0; i < source.study->conditions.size(); ++i) {
      const fs::path folder = run_folder(env, source.study->conditions[i], 0).parent_path();
      source.conditions_.emplace(folder.string(), i);
    }
  }
  return source;
}

void name_sources(std::vector<Source>& sources) {
  std::vector<fs::path> paths;
  std::size_t longest = 1;
  for (const Source& source : sources) {
    fs::path path = fs::weakly_canonical(source.path);
    if (path.filename().empty()) path = path.parent_path();
    longest = std::max(longest, static_cast<std::size_t>(std::distance(path.begin(), path.end())));
    paths.push_back(std::move(path));
  }
  const std::size_t distinct = std::set<fs::path>(paths.begin(), paths.end()).size();
  for (std::size_t count = 1; count <= longest; ++count) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sources[i].name = end_of(paths[i], count + (names_a_seed(paths[i]) ? 1 : 0));
      names.insert(sources[i].name);
    }
    if (names.size() == distinct) return;
  }
}

}  // namespace tarl::study
