// SPDX-License-Identifier: MIT
#include "tarl/study/plan/margins.h"

#include "tarl/core/error.h"
#include "tarl/core/formats/json.h"
#include "tarl/core/formats/number.h"

namespace tarl::study {

namespace {

constexpr const char* kMarginsFile = "margins.json";
constexpr const char* kMarginKey = "align.margin";

Json measured_before(const fs::path& file) {
  if (!fs::exists(file)) return Json::object();
  try {
    Json json = parse_json(read_text(file));
    if (!json.is_object()) json = Json{{"", json}};
    for (const Json& entry : json) static_cast<void>(entry.at("margin").get<double>());
    return json;
  } catch (const Json::exception&) {
    throw Error(file.string() + " is damaged; put it back, or give margins as numbers");
  }
}

Json to_json(const train::RunConfig& settled, const std::string& what,
             std::span<const train::MarginCost> costs) {
  Json measured = Json::array();
  for (const train::MarginCost& cost : costs) {
    measured.push_back(
        {{"margin", cost.margin}, {"oversampling", cost.oversampling}, {"seconds", cost.seconds}});
  }
  return {{"margin", settled.align.margin},
          {"budget", settled.align.budget},
          {"environment", settled.env},
          {"what", what},
          {"measured", measured}};
}

train::RunConfig first_run(const Study& study, const Condition& condition) {
  return resolve_run(study, condition, study.envs.front(), 0);
}

}  // namespace

std::vector<std::string> open_margins(const Study& study, const fs::path& out) {
  std::vector<std::string> labels;
  const Json measured = measured_before(out / kMarginsFile);
  for (const Condition& condition : study.conditions) {
    if (measured.contains(condition.label)) continue;
    if (first_run(study, condition).margin_is_open()) labels.push_back(condition.label);
  }
  return labels;
}

Study with_margins(Study study, const fs::path& out,
                   const std::function<void(const std::string&)>& notice,
                   const train::MarginRule& rule) {
  const fs::path file = out / kMarginsFile;
  for (Condition& condition : study.conditions) {
    const train::RunConfig config = first_run(study, condition);
    if (!config.margin_is_open()) continue;
    Json margins = measured_before(file);
    if (!margins.contains(condition.label)) {
      if (notice) notice("condition '" + condition.label + "':");
      std::vector<train::MarginCost> costs;
      train::MarginRule noted = rule;
      noted.measure = [&](const train::RunConfig& one, int threads) {
        return costs = rule.measure(one, threads);
      };
      const train::RunConfig settled = train::with_margin(config, 1, notice, noted);
      margins[condition.label] = to_json(settled, rule.what, costs);
      write_file_durably(file, json_page(margins));
    }
    condition.set.erase(kMarginKey);
    condition.margin = format_number(margins[condition.label]["margin"].get<double>());
  }
  return study;
}

}  // namespace tarl::study
