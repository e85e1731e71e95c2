// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>

#include "tarl/core/formats/json.h"
#include "tarl/core/formats/number.h"
#include "tarl/report/analysis/verdict.h"
#include "tarl/report/export/export.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

constexpr std::array kKindNames = {"alignment", "control", "version", "other"};

// One comparison, in one environment or over all.
using Facts = std::vector<std::pair<const char*, Json>>;

// JSON and CSV have no NaN: null, and an empty field.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json count(const std::optional<int>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Facts overall_facts(const Analysis& numbers, const Pair& pair) {
  return {{"scope", "overall"},
          {"environment", nullptr},
          {"compared", numbers.label(pair.compared)},
          {"base", numbers.label(pair.base)},
          {"kind", kKindNames[static_cast<std::size_t>(pair.kind)]},
          {"family", family_name(pair.family)},
          {"environments", pair.environments.size()},
          {"seeds", pair.seed_count},
          {"compared_nauc", number(pair.compared_mean)},
          {"base_nauc", number(pair.base_mean)},
          {"difference", number(pair.difference.value)},
          {"difference_low", number(pair.difference.ci.low)},
          {"difference_high", number(pair.difference.ci.high)},
          {"gain_percent", number(pair.gains.ratio_of_means)},
          {"gain_percent_low", number(pair.ratio_ci.low)},
          {"gain_percent_high", number(pair.ratio_ci.high)},
          {"mean_of_ratios_percent", number(pair.gains.mean_of_ratios)},
          {"improvement", number(pair.improvement.value)},
          {"improvement_low", number(pair.improvement.ci.low)},
          {"improvement_high", number(pair.improvement.ci.high)},
          {"environments_won", pair.environment_wins},
          {"seeds_won", pair.seed_wins},
          {"ties", nullptr},
          {"effect", nullptr},
          {"sign_flip_p", number(pair.pooled_p)},
          {"sign_flip_p_holm", number(pair.pooled_holm)},
          {"welch_p", nullptr},
          {"welch_p_holm", nullptr},
          {"seeds_needed", count(pair.seeds_needed)},
          {"verdict", verdict_word(pair.verdict)}};
}

// The same columns; Holm's correction covers the environments of the pair.
Facts environment_facts(const Analysis& numbers, const Pair& pair, const EnvironmentPair& e) {
  return {{"scope", "environment"},
          {"environment", numbers.environments[e.environment].name},
          {"compared", numbers.label(pair.compared)},
          {"base", numbers.label(pair.base)},
          {"kind", kKindNames[static_cast<std::size_t>(pair.kind)]},
          {"family", "environments of the pair"},
          {"environments", 1},
          {"seeds", e.base.size()},
          {"compared_nauc", number(statistics::mean(e.compared))},
          {"base_nauc", number(statistics::mean(e.base))},
          {"difference", number(e.difference)},
          {"difference_low", number(e.ci.low)},
          {"difference_high", number(e.ci.high)},
          {"gain_percent", number(e.gain_percent)},
          {"gain_percent_low", nullptr},
          {"gain_percent_high", nullptr},
          {"mean_of_ratios_percent", nullptr},
          {"improvement", nullptr},
          {"improvement_low", nullptr},
          {"improvement_high", nullptr},
          {"environments_won", e.difference > 0 ? 1 : 0},
          {"seeds_won", e.wins},
          {"ties", e.ties},
          {"effect", number(e.effect)},
          {"sign_flip_p", number(e.permutation_p)},
          {"sign_flip_p_holm", number(e.permutation_holm)},
          {"welch_p", number(e.welch_p)},
          {"welch_p_holm", number(e.welch_holm)},
          {"seeds_needed", count(e.seeds_needed)},
          {"verdict", nullptr}};
}

// Pair by pair, the whole before its environments.
std::vector<Facts> all_facts(const Analysis& numbers) {
  std::vector<Facts> all;
  for (const Pair& pair : numbers.pairs) {
    all.push_back(overall_facts(numbers, pair));
    for (const EnvironmentPair& e : pair.environments) {
      all.push_back(environment_facts(numbers, pair, e));
    }
  }
  return all;
}

std::string field(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float()) return format_number(value.get<double>());
  return value.is_string() ? csv_field(value.get<std::string>()) : json_line(value);
}

}  // namespace

std::string comparisons_csv(const Scene& scene) {
  const std::vector<Facts> all = all_facts(scene.numbers());
  if (all.empty()) return "scope,environment,compared,base\n";
  std::string out;
  for (const auto& [name, value] : all.front()) out += concat({out.empty() ? "" : ",", name});
  out += '\n';
  for (const Facts& facts : all) {
    std::string row;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      row += concat({i == 0 ? "" : ",", field(facts[i].second)});
    }
    out += row + '\n';
  }
  return out;
}

std::string comparisons_json(const Scene& scene) {
  const Analysis& numbers = scene.numbers();
  Json list = Json::array();
  for (const Facts& facts : all_facts(numbers)) {
    Json one = Json::object();
    for (const auto& [name, value] : facts) one[name] = value;
    list.push_back(std::move(one));
  }
  return json_page(
      Json{{"metric", "nAUC"},
           {"test", "two-sided sign flips of paired differences"},
           {"correction", concat({"Holm. ", family_note(numbers),
                                  " By environment: over the environments of a pair."})},
           {"interval_level", numbers.level},
           {"bootstrap_draws", numbers.resamples},
           {"comparisons", std::move(list)}});
}

}  // namespace tarl::report
