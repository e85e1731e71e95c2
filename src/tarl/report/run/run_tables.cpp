// SPDX-License-Identifier: MIT
#include <cmath>
#include <string_view>
#include <utility>

#include "tarl/report/run/run_page.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

using study::RunRecord;

constexpr const char* kNotKnown = "–";

bool is_the_runs_own(const std::string& key) {
  return key == "seed" || key == "env" || key == "algo";
}

// The preset's value if the run's differs; null if they agree or the preset has none.
const std::string* changed_from(const RunRecord& record, const std::string& key,
                                const std::string& value) {
  const auto found = record.preset.settings.find(key);
  const bool differs =
      found != record.preset.settings.end() && found->second != value && !is_the_runs_own(key);
  return differs ? &found->second : nullptr;
}

std::string shown(const std::string& value) {
  return value.empty() ? kNotKnown : value;
}

std::string preset_note(const RunRecord& record) {
  if (record.preset.settings.empty()) {
    return "This build does not know the preset of this environment and algorithm.";
  }
  const std::string note =
      record.preset.note.empty() ? "" : concat({" (", record.preset.note, ")"});
  return concat({"Compared with what ", record.preset.name, " sets for this algorithm", note, "."});
}

Table settings_table(const RunRecord& record, const char* id, bool all) {
  Table table;
  table.id = id;
  table.header = {"setting", "value", "preset"};
  table.text_columns = {0, 1, 2};
  for (const auto& [key, value] : record.run.config) {
    const std::string* before = changed_from(record, key, value);
    if (before == nullptr && !all) continue;
    table.rows.push_back({{key, "", false},
                          {shown(value), "", before != nullptr},
                          {before == nullptr ? "" : shown(*before), "", false}});
  }
  return table;
}

std::string info(const RunRecord& record, const std::string& key) {
  const auto found = record.run.info.find(key);
  return found == record.run.info.end() ? "" : found->second;
}

}  // namespace

Table run_differences_table(const RunRecord& record) {
  Table table = settings_table(record, "table-differences", false);
  table.title = "Settings that differ from the preset";
  table.note = preset_note(record);
  return table;
}

Table run_settings_table(const RunRecord& record) {
  Table table = settings_table(record, "table-settings", true);
  table.note = concat({"All of config.toml; bold where it differs. ", preset_note(record)});
  return table;
}

Table run_cost_table(const RunRecord& record) {
  const study::Run& run = record.run;
  Table table;
  table.id = "table-cost";
  table.header = {"what", "value"};
  table.text_columns = {0, 1};
  const auto add = [&](const std::string& what, const std::string& value) {
    if (!value.empty()) table.rows.push_back({{what, "", false}, {value, "", false}});
  };
  if (run.wall_seconds > 0) {
    add("training time, over all resumes", duration(run.wall_seconds));
    const auto pace = run.steps_per_second();
    add("steps per second", pace ? significant(*pace, 3) : "");
  }
  add("resumes", std::to_string(run.resumes));
  for (const auto& [key, what] : {std::pair{"started", "started (UTC)"},
                                  {"updated", "last written (UTC)"},
                                  {"host", "host"},
                                  {"cpu", "processor"},
                                  {"gpu", "GPU"},
                                  {"command", "started with"},
                                  {"reproduce", "made again by"},
                                  {"version", "tarl"},
                                  {"commit", "commit"},
                                  {"compiler", "compiler"},
                                  {"flags", "flags"}}) {
    add(what, info(record, key));
  }
  constexpr std::string_view kLibraries = "libraries.";
  for (const auto& [key, value] : run.info) {
    if (key.starts_with(kLibraries)) add(key.substr(kLibraries.size()), value);
  }
  return table;
}

}  // namespace tarl::report
