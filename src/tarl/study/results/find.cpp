// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "tarl/core/error.h"
#include "tarl/study/results/run.h"

namespace tarl::study {

namespace {

// Whether `outer` is `inner` or a folder above it; both canonical.
bool holds(const fs::path& outer, const fs::path& inner) {
  const auto [end, rest] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return end == outer.end();
}

class RunSearch {
 public:
  explicit RunSearch(const fs::path& root) : root_(fs::canonical(root)) { enter(root, root_); }

  // Links come after all folders, so that a folder is entered by its own name where it has one.
  void run() {
    while (!folders_.empty() || !links_.empty()) {
      if (folders_.empty()) {
        follow(links_.extract(links_.begin()).value());
        continue;
      }
      const Folder folder = std::move(folders_.back());
      folders_.pop_back();
      if (is_run_folder(folder.path)) {
        found.push_back(folder.path);
      } else {
        list(folder);
      }
    }
    std::sort(found.begin(), found.end());
    std::sort(passed_over.begin(), passed_over.end(),
              [](const PassedOver& a, const PassedOver& b) { return a.path < b.path; });
  }

  std::vector<fs::path> found;
  std::vector<PassedOver> passed_over;

 private:
  struct Folder {
    fs::path path;  // how it was reached
    fs::path name;  // canonical
  };

  void enter(const fs::path& path, const fs::path& name) {
    if (entered_.insert(name).second) {
      folders_.push_back({path, name});
    } else {
      passed_over.push_back({path, "leads to " + name.string() + ", which is counted already"});
    }
  }

  void follow(const fs::path& link) {
    std::error_code problem;
    const fs::path name = fs::canonical(link, problem);
    if (problem) {
      passed_over.push_back({link, "cannot be followed: " + problem.message()});
    } else if (holds(name, root_)) {
      passed_over.push_back({link, "leads to a folder that holds this one; not followed"});
    } else {
      enter(link, name);
    }
  }

  void list(const Folder& folder) {
    std::error_code problem;
    for (fs::directory_iterator entry(folder.path, problem), end; !problem && entry != end;
         entry.increment(problem)) {
      std::error_code unknown;
      const fs::path& path = entry->path();
      if (entry->is_symlink(unknown)) {
        add_link(path);
      } else if (entry->is_directory(unknown)) {
        enter(path, folder.name / path.filename());
      }
    }
    if (problem) passed_over.push_back({folder.path, "cannot be read: " + problem.message()});
  }

  void add_link(const fs::path& link) {
    std::error_code problem;
    const fs::file_status target = fs::status(link, problem);
    if (fs::is_directory(target)) {
      links_.insert(link);
    } else if (!fs::exists(target)) {
      passed_over.push_back({link, "a link that leads nowhere: " + problem.message()});
    }
  }

  fs::path root_;
  std::vector<Folder> folders_;
  std::set<fs::path> links_;
  std::set<fs::path> entered_;  // by canonical name
};

}  // namespace

std::vector<fs::path> find_run_folders(const fs::path& root, std::vector<PassedOver>* passed_over) {
  if (!fs::is_directory(root)) {
    throw Error(root.string() + " is no folder; name a study or a run folder");
  }
  RunSearch search(root);
  search.run();
  if (passed_over != nullptr) *passed_over = std::move(search.passed_over);
  return std::move(search.found);
}

}  // namespace tarl::study
