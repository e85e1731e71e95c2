// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tarl/report/figures/figures.h"

namespace tarl::report {

// Parts of paper_figures().

struct AgentKind {
  const char* base;
  replay::Kind replay;
  double margin;       // 0: plain
  double batch_ratio;  // 2: doubled batch
};

std::optional<std::size_t> find_algorithm(const Scene& scene, const AgentKind& kind);

// Environments of a family ("" for any) where all the algorithms have runs.
std::vector<std::size_t> environments_with(const Scene& scene,
                                           const std::vector<std::size_t>& algorithms,
                                           const std::string& prefix);

// The paper's number in id and title.
void set_paper_texts(Figure& figure, int number, const std::string& title,
                     const std::string& caption);

// The smoothed curve of one seed, if there is one.
void add_seed(const Scene& scene, std::size_t env, std::size_t algorithm, std::int64_t seed,
              LinePanel& panel);

// Figure 2: peak gains, running maximum, score and wall-clock over the Atari games.
Figure atari_figure(const Scene& scene, const std::vector<std::size_t>& environments,
                    std::size_t plain, std::size_t aligned, std::optional<std::size_t> doubled);

// Figures 5 and 12 to 14: the oversampling margin.
void add_margin_figures(const Scene& scene, std::vector<Figure>& figures);

}  // namespace tarl::report
