// SPDX-License-Identifier: MIT
#include "tarl/study/plan/study.h"

#include <algorithm>
#include <cctype>

#include "tarl/core/error.h"
#include "tarl/core/files.h"
#include "tarl/study/study_files.h"

namespace tarl::study {

const Condition* Study::find(const std::string& label) const {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const Condition& one) { return one.label == label; });
  return found == conditions.end() ? nullptr : &*found;
}

const std::vector<Study>& studies() {
  static const std::vector<Study> all = [] {
    std::vector<Study> list;
    list.reserve(std::size(kStudyFiles));
    for (const EmbeddedFile& file : kStudyFiles) {
      list.push_back(parse_study(file.text, file.name, std::string("study ") + file.name));
    }
    return list;
  }();
  return all;
}

Study find_study(const std::string& name_or_file) {
  std::vector<std::string> known;
  for (const Study& study : studies()) {
    if (study.name == name_or_file) return study;
    known.push_back(study.name);
  }
  if (name_or_file.ends_with(".toml")) {
    return parse_study(read_text(name_or_file), fs::path(name_or_file).stem().string(),
                       name_or_file);
  }
  throw UsageError("no study is called '" + name_or_file + "'" + did_you_mean(name_or_file, known) +
                   " (tarl study list shows all; a file must end in .toml)");
}

std::string slug(const std::string& label) {
  std::string out;
  for (const char letter : label) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 128 && (std::isalnum(byte) != 0 || letter == '+' || letter == '.')) {
      out += static_cast<char>(std::tolower(byte));
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

train::RunConfig resolve_run(const Study& study, const Condition& condition, const std::string& env,
                             std::int64_t seed) {
  train::ConfigRequest request;
  request.algo = condition.algo;
  request.env = env;
  request.preset = study.preset;
  request.seed = std::to_string(seed);
  request.steps = study.steps;
  request.margin = condition.margin;
  for (const auto& [key, value] : condition.set) request.set.push_back(key + "=" + value);
  try {
    return train::resolve(request);
  } catch (const UsageError& problem) {
    throw UsageError("study " + study.name + ", condition '" + condition.label + "' in " + env +
                     ": " + problem.what());
  }
}

}  // namespace tarl::study
