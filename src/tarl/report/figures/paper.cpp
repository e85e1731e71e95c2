// SPDX-License-Identifier: MIT
#include "tarl/report/figures/paper.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "tarl/report/figures/figures.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

using Positions = std::vector<std::size_t>;

// A plain agent and its aligned version with b = m.
struct AlignedPair {
  std::size_t plain, aligned;

  Positions both() const { return {plain, aligned}; }
};

std::optional<AlignedPair> find_pair(const Scene& scene, const char* base, replay::Kind replay) {
  const auto plain = find_algorithm(scene, {base, replay, 0, 1});
  const auto aligned = find_algorithm(scene, {base, replay, 1, 1});
  if (!plain || !aligned) return std::nullopt;
  return AlignedPair{*plain, *aligned};
}

LinePanel return_panel(const Scene& scene, std::size_t env) {
  LinePanel panel;
  panel.title = scene.numbers().environments[env].title;
  panel.x_label = "environment steps";
  panel.y_label = "return";
  return panel;
}

// One panel per environment: smoothed medians over seeds.
std::vector<Drawing> median_panels(const Scene& scene, const Positions& environments,
                                   const Positions& algorithms, bool band,
                                   const std::string& of = "") {
  std::vector<Drawing> panels;
  for (const std::size_t env : environments) {
    LinePanel panel = return_panel(scene, env);
    if (!of.empty()) panel.title += concat({", ", of});
    for (const std::size_t a : algorithms) {
      if (!scene.numbers().environments[env].cells[a].counts()) continue;
      panel.series.push_back(median_series(scene, env, a, band));
    }
    panels.push_back(draw(panel));
  }
  return panels;
}

// One small panel per environment and seed, plain against aligned.
Figure per_seed_figure(const Scene& scene, int number, const Positions& environments,
                       const AlignedPair& pair) {
  Figure figure;
  std::size_t most = 1;
  for (const std::size_t env : environments) {
    const auto& cells = scene.numbers().environments[env].cells;
    std::set<std::int64_t> seeds(cells[pair.plain].seeds.begin(), cells[pair.plain].seeds.end());
    seeds.insert(cells[pair.aligned].seeds.begin(), cells[pair.aligned].seeds.end());
    most = std::max(most, seeds.size());
    for (const std::int64_t seed : seeds) {
      LinePanel panel = return_panel(scene, env);
      panel.title += concat({", seed ", std::to_string(seed)});
      panel.x_label.clear();
      panel.y_label.clear();
      panel.width = kSmallWidth;
      panel.height = kSmallHeight;
      for (const std::size_t a : pair.both()) add_seed(scene, env, a, seed, panel);
      figure.panels.push_back(draw(panel));
    }
  }
  const std::string& plain = scene.numbers().label(pair.plain);
  const std::string& aligned = scene.numbers().label(pair.aligned);
  set_paper_texts(figure, number, concat({aligned, " and ", plain, ", seed by seed"}),
                  "One panel per environment and seed; returns smoothed over 10 evaluations.");
  figure.legend = scene.legend(pair.both());
  figure.columns = static_cast<int>(most);
  return figure;
}

Figure control_figure(const Scene& scene, const Positions& environments, const AlignedPair& pair) {
  Figure figure;
  figure.panels = median_panels(scene, environments, pair.both(), true);
  figure.legend = scene.legend(pair.both());
  set_paper_texts(figure, 3, "SAC and TA-SAC",
                  "Median return over seeds, smoothed over 10 evaluations; the band is the "
                  "interquartile range.");
  return figure;
}

Figure replay_figure(const Scene& scene, const Positions& environments,
                     const std::vector<AlignedPair>& pairs) {
  Figure figure;
  Positions shown;
  for (const AlignedPair& pair : pairs) {
    const std::string name = study::replay_title(scene.numbers().algorithm(pair.plain).replay);
    for (Drawing& panel : median_panels(scene, environments, pair.both(), false, name)) {
      figure.panels.push_back(std::move(panel));
    }
    shown.push_back(pair.plain);
    shown.push_back(pair.aligned);
  }
  figure.legend = scene.legend(shown);
  figure.columns = static_cast<int>(environments.size());
  set_paper_texts(figure, 4, "Alignment under different replay strategies",
                  "Median return over seeds, smoothed over 10 evaluations.");
  return figure;
}

Figure atari_games_figure(const Scene& scene, const Positions& environments,
                          const AlignedPair& pair) {
  Figure figure;
  figure.panels = median_panels(scene, environments, pair.both(), false);
  figure.legend = scene.legend(pair.both());
  set_paper_texts(figure, 6, "DDQN and TA-DDQN, game by game",
                  "Returns smoothed over 10 evaluations, median over seeds.");
  return figure;
}

void add_control_figures(const Scene& scene, std::vector<Figure>& figures) {
  const auto pair = find_pair(scene, "sac", replay::Kind::kUniform);
  if (!pair) return;
  const Positions environments = environments_with(scene, pair->both(), "");
  if (environments.empty()) return;
  figures.push_back(control_figure(scene, environments, *pair));
  figures.push_back(per_seed_figure(scene, 7, environments, *pair));
  Figure cost = cost_figure(scene, pair->both(), environments);
  set_paper_texts(cost, 8, "Wall-clock of SAC and TA-SAC", cost.caption);
  if (!cost.panels.empty()) figures.push_back(std::move(cost));
}

void add_replay_figures(const Scene& scene, std::vector<Figure>& figures) {
  std::vector<AlignedPair> pairs;
  std::vector<Figure> by_seed;
  Positions environments;
  int number = 9;
  for (const replay::Kind replay :
       {replay::Kind::kUniform, replay::Kind::kPer, replay::Kind::kReaper}) {
    const auto pair = find_pair(scene, "dqn", replay);
    if (pair) {
      environments = environments_with(scene, pair->both(), "minatar/");
      if (!environments.empty()) {
        pairs.push_back(*pair);
        by_seed.push_back(per_seed_figure(scene, number, environments, *pair));
      }
    }
    ++number;
  }
  if (pairs.size() > 1) figures.push_back(replay_figure(scene, environments, pairs));
  for (Figure& figure : by_seed) figures.push_back(std::move(figure));
}

// What a figure needs.
const char* needs_of(int number) {
  switch (number) {
    case 2:
    case 6:
      return "DDQN and TA-DDQN with b = m in an Atari game";
    case 3:
    case 7:
      return "SAC and TA-SAC with b = m in one environment";
    case 8:
      return "SAC and TA-SAC with b = m in one environment, and how long their runs took";
    case 4:
      return "DQN and TA-DQN with b = m under two replay strategies in a MinAtar game";
    case 5:
    case 12:
      return "DQN and TA-DQN with two margins in a MinAtar game";
    case 9:
    case 10:
    case 11:
      return "DQN and TA-DQN with b = m under its replay strategy in a MinAtar game";
    case 13:
    case 14:
      return "DQN and TA-DQN with two margins in a MinAtar game, and their logged alignment";
    default:
      return "what this program does not know";
  }
}

// Keeps the figures that the study covers, and reports those that are missing.
void choose_covered(const std::vector<std::string>& covers, std::vector<Figure>& figures,
                    std::vector<study::Problem>& problems) {
  constexpr std::string_view kFigure = "Figure ";
  std::set<std::string> covered = {};
  for (const std::string& name : covers) {
    if (!name.starts_with(kFigure) || name == "Figure 1") continue;  // 1 is drawn from equations
    const std::string number = name.substr(kFigure.size());
    const std::string id = concat({"figure-", number});
    covered.insert(id);
    if (std::any_of(figures.begin(), figures.end(),
                    [&](const Figure& figure) { return figure.id == id; })) {
      continue;
    }
    problems.push_back({concat({name, " of the paper"}),
                        concat({"the study covers it, and it cannot be drawn: it needs ",
                                needs_of(std::atoi(number.c_str()))}),
                        study::ProblemKind::kNotDrawn});
  }
  std::erase_if(figures, [&](const Figure& figure) { return !covered.contains(figure.id); });
}

void add_atari_figures(const Scene& scene, std::vector<Figure>& figures) {
  const auto pair = find_pair(scene, "ddqn", replay::Kind::kUniform);
  if (!pair) return;
  const Positions environments = environments_with(scene, pair->both(), "atari/");
  if (environments.empty()) return;
  figures.push_back(atari_figure(scene, environments, pair->plain, pair->aligned,
                                 find_algorithm(scene, {"ddqn", replay::Kind::kUniform, 0, 2})));
  figures.push_back(atari_games_figure(scene, environments, *pair));
}

}  // namespace

std::optional<std::size_t> find_algorithm(const Scene& scene, const AgentKind& kind) {
  for (const std::size_t a : scene.algorithms) {
    const study::Algorithm& x = scene.numbers().algorithm(a);
    const bool filter = !x.aligned() || x.filters();
    if (filter && x.base == kind.base && x.replay == kind.replay && x.variant.empty() &&
        x.align_variant.empty() && std::fabs(x.margin - kind.margin) < 1e-9 &&
        x.batch_ratio == kind.batch_ratio) {
      return a;
    }
  }
  return std::nullopt;
}

Positions environments_with(const Scene& scene, const Positions& algorithms,
                            const std::string& prefix) {
  Positions found;
  for (std::size_t env = 0; env < scene.numbers().environments.size(); ++env) {
    const EnvironmentAnalysis& environment = scene.numbers().environments[env];
    const bool all = std::all_of(algorithms.begin(), algorithms.end(),
                                 [&](std::size_t a) { return environment.cells[a].counts(); });
    if (all && study::environment_key(environment.name).starts_with(prefix)) found.push_back(env);
  }
  return found;
}

void set_paper_texts(Figure& figure, int number, const std::string& title,
                     const std::string& caption) {
  const std::string text = std::to_string(number);
  figure.id = concat({"figure-", text});
  figure.title = concat({"Figure ", text, ": ", title});
  figure.caption = caption;
}

void add_seed(const Scene& scene, std::size_t env, std::size_t algorithm, std::int64_t seed,
              LinePanel& panel) {
  const EnvironmentAnalysis& environment = scene.numbers().environments[env];
  const Cell& cell = environment.cells[algorithm];
  for (std::size_t i = 0; i < cell.seeds.size(); ++i) {
    if (cell.seeds[i] != seed) continue;
    panel.series.push_back({scene.numbers().label(algorithm),
                            scene.styles[algorithm],
                            environment.timesteps,
                            statistics::trailing_mean(cell.curves[i]),
                            {},
                            {},
                            false});
  }
}

std::vector<Figure> paper_figures(const Scene& scene, std::vector<study::Problem>& problems) {
  std::vector<Figure> figures;
  add_atari_figures(scene, figures);
  add_control_figures(scene, figures);
  add_replay_figures(scene, figures);
  add_margin_figures(scene, figures);
  std::stable_sort(figures.begin(), figures.end(), [](const Figure& a, const Figure& b) {
    return std::pair(a.id.size(), a.id) < std::pair(b.id.size(), b.id);
  });
  const auto& covers = scene.numbers().results->covers;
  if (covers) choose_covered(*covers, figures, problems);
  return figures;
}

}  // namespace tarl::report
