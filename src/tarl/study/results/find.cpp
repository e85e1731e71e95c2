// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

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
  explicit RunSearch(const std::vector<fs::path>& roots) {
    for (const fs::path& root : roots) roots_.push_back(fs::canonical(root));
    // The innermost root first: it knows more about its runs than an outer one.
    std::vector<std::size_t> order(roots.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto depth = [&](std::size_t at) {
      return std::distance(roots_[at].begin(), roots_[at].end());
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return depth(a) > depth(b); });
    for (const std::size_t at : order) {
      if (!entered_.insert(roots_[at]).second) {
        passed_over.push_back({roots[at], "named twice; counted once"});
        continue;
      }
      folders_.push_back({roots[at], roots_[at], at});
      search_folders();
    }
    search_links();
  }

  std::vector<FoundRun> found;
  std::vector<PassedOver> passed_over;

 private:
  struct Folder {
    fs::path path;  // how it was reached
    fs::path name;  // canonical
    std::size_t root;
  };

  void search_folders() {
    while (!folders_.empty()) {
      const Folder folder = std::move(folders_.back());
      folders_.pop_back();
      if (is_run_folder(folder.path)) {
        found.push_back({folder.path, folder.root});
      } else {
        list(folder);
      }
    }
  }

  // Links come after all folders, so that a folder is entered by its real name if it has one.
  void search_links() {
    while (!links_.empty()) {
      const auto link = links_.extract(links_.begin());
      follow(link.key(), link.mapped());
      search_folders();
    }
    std::sort(found.begin(), found.end(), [](const FoundRun& a, const FoundRun& b) {
      return std::tie(a.root, a.path) < std::tie(b.root, b.path);
    });
    std::sort(passed_over.begin(), passed_over.end(),
              [](const PassedOver& a, const PassedOver& b) { return a.path < b.path; });
  }

  void follow(const fs::path& link, std::size_t root) {
    std::error_code problem;
    const fs::path name = fs::canonical(link, problem);
    if (problem) {
      passed_over.push_back({link, "cannot be followed: " + problem.message()});
    } else if (holds_a_root(name, root)) {
      passed_over.push_back({link, "leads to a folder that holds this one; not followed"});
    } else if (entered_.insert(name).second) {
      folders_.push_back({link, name, root});
    } else {
      passed_over.push_back({link, "leads to " + name.string() + ", which is counted already"});
    }
  }

  // Other roots have their runs counted already: what leads right to one is no loop.
  bool holds_a_root(const fs::path& name, std::size_t own) const {
    return holds(name, roots_[own]) ||
           (!entered_.contains(name) &&
            std::any_of(roots_.begin(), roots_.end(),
                        [&](const fs::path& one) { return holds(name, one); }));
  }

  void list(const Folder& folder) {
    std::error_code problem;
    for (fs::directory_iterator entry(folder.path, problem), end; !problem && entry != end;
         entry.increment(problem)) {
      std::error_code unknown;
      const fs::path& path = entry->path();
      if (entry->is_symlink(unknown)) {
        add_link(path, folder.root);
      } else if (entry->is_directory(unknown)) {
        const fs::path name = folder.name / path.filename();
        if (entered_.insert(name).second) folders_.push_back({path, name, folder.root});
      }
    }
    if (problem) passed_over.push_back({folder.path, "cannot be read: " + problem.message()});
  }

  void add_link(const fs::path& link, std::size_t root) {
    std::error_code problem;
    const fs::file_status target = fs::status(link, problem);
    if (fs::is_directory(target)) {
      links_.emplace(link, root);
    } else if (!fs::exists(target)) {
      passed_over.push_back({link, "a link that leads nowhere: " + problem.message()});
    }
  }

  std::vector<fs::path> roots_;  // canonical
  std::vector<Folder> folders_;
  std::map<fs::path, std::size_t> links_;  // and the root each was found below
  std::set<fs::path> entered_;             // by canonical name
};

}  // namespace

std::vector<FoundRun> find_run_folders(const std::vector<fs::path>& roots,
                                       std::vector<PassedOver>* passed_over) {
  for (const fs::path& root : roots) {
    if (!fs::is_directory(root)) {
      throw Error(root.string() + " is no folder; name a study or a run folder");
    }
  }
  RunSearch search(roots);
  if (passed_over != nullptr) *passed_over = std::move(search.passed_over);
  return std::move(search.found);
}

std::vector<fs::path> find_run_folders(const fs::path& root) {
  std::vector<fs::path> folders;
  for (FoundRun& run : find_run_folders(std::vector{root})) folders.push_back(std::move(run.path));
  return folders;
}

}  // namespace tarl::study
