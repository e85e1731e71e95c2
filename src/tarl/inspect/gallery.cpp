// SPDX-License-Identifier: MIT
#include "tarl/inspect/gallery.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tarl/inspect/pictures.h"
#include "tarl/report/figures/scenario_columns.h"
#include "tarl/report/figures/svg_parts.h"
#include "tarl/report/page/page_frame.h"
#include "tarl/report/text.h"

namespace tarl::inspect {

namespace {

constexpr std::size_t kMostCards = 12;  // of the kept, and of the rejected
constexpr double kArrowsWidth = 240, kArrowsHeight = 34, kArrowsMargin = 10;

using report::concat;
using report::significant;
using store::Trace;

// The values of one row, one per critic.
std::vector<double> of_critics(const Trace& trace, const std::vector<float>& values,
                               std::size_t row) {
  const auto candidates = static_cast<std::size_t>(trace.shape.candidates);
  const auto critics = static_cast<std::size_t>(trace.shape.critics);
  std::vector<double> all;
  for (std::size_t critic = 0; critic < critics; ++critic) {
    all.push_back(
        double{values[(row / candidates * critics + critic) * candidates + row % candidates]});
  }
  return all;
}

struct Predictions {
  std::vector<double> q, online, offline;  // by critic

  std::size_t critics() const { return q.size(); }

  // The critic that determines the score: the one with the smallest.
  std::size_t scored() const {
    std::size_t least = 0;
    for (std::size_t critic = 1; critic < critics(); ++critic) {
      if (score(critic) < score(least)) least = critic;
    }
    return least;
  }

  double score(std::size_t critic) const {
    return align::alignment_score(online[critic] - q[critic], offline[critic] - q[critic]);
  }
};

Predictions predictions_of(const Trace& trace, std::size_t row) {
  return {of_critics(trace, trace.q, row), of_critics(trace, trace.y_online, row),
          of_critics(trace, trace.y_offline, row)};
}

// Arrows from the prediction to the online target and, below, to the offline one, for the critic
// that determines the score.
std::string arrows_html(const Predictions& values) {
  const std::size_t at = values.scored();
  const double q = values.q[at], online = values.online[at], offline = values.offline[at];
  const auto [low, high] = std::minmax({q, online, offline});
  const double scale = high > low ? (kArrowsWidth - 2 * kArrowsMargin) / (high - low) : 0;
  const auto x = [&, from = low](double value) { return kArrowsMargin + scale * (value - from); };
  std::string out = report::open_svg(kArrowsWidth, kArrowsHeight, "both errors");
  out += report::line_element("grid", 0, kArrowsHeight - 2, kArrowsWidth, kArrowsHeight - 2);
  out += report::line_element("whisker muted", x(q), 2, x(q), kArrowsHeight - 2);
  if (online != q) out += report::error_arrow("c0", x(q), x(online), 9);
  if (offline != q) out += report::error_arrow("c1", x(q), x(offline), 24);
  return out + "</svg>";
}

std::string joined(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " / ") + significant(value, 3);
  return text;
}

std::string fact(const char* name, const std::string& value) {
  return concat({"<dt>", name, "</dt><dd>", report::escape_html(value), "</dd>"});
}

// Rules for terminals place candidates above and below all scores.
std::string chooser_text(double score) {
  if (std::isfinite(score)) return significant(score, 3);
  return score > 0 ? "before all scores" : "behind all scores";
}

std::string facts_html(const Candidates& all, const Sight& sight, const Predictions& values) {
  const Trace& trace = all.draws;
  std::vector<double> online = values.online, offline = values.offline;
  for (std::size_t critic = 0; critic < values.critics(); ++critic) {
    online[critic] -= values.q[critic];
    offline[critic] -= values.q[critic];
  }
  std::string out = concat(
      {"<dl class=\"facts\">", fact("Q(s, a)", joined(values.q)),
       fact("online target", joined(values.online)), fact("offline target", joined(values.offline)),
       fact("<span class=\"c0\">online error</span>", joined(online)),
       fact("<span class=\"c1\">offline error</span>", joined(offline)),
       fact("reward", significant(trace.reward[sight.row], 3)), fact("action", sight.action),
       fact("age", concat({report::grouped(trace.age[sight.row]), " steps"}))});
  if (!trace.paper_score.empty()) {
    out += fact("chosen by", chooser_text(trace.score[sight.row]));
  }
  return out + "</dl>";
}

double score_of(const Trace& trace, const Sight& sight) {
  return trace.paper_score.empty() ? trace.score[sight.row] : trace.paper_score[sight.row];
}

std::string card_html(const Candidates& all, const Sight& sight, const Pictures& pictures) {
  const Trace& trace = all.draws;
  const bool kept = trace.kept[sight.row] != 0, ends = trace.terminal[sight.row] != 0;
  const Predictions values = predictions_of(trace, sight.row);
  return concat({"<article class=\"shot", kept ? " kept" : "", "\"><h4>",
                 kept ? "kept" : "left out", "<small>score ",
                 report::fixed(score_of(trace, sight), 3), ", ",
                 report::kScenarioColumns[trace.scenario[sight.row]].label,
                 "</small></h4><div class=\"pair\">", pictures.html(sight.obs, "state"),
                 ends ? "<div class=\"ended\">the episode ends</div>"
                      : pictures.html(sight.next_obs, "next state"),
                 "</div>", arrows_html(values), facts_html(all, sight, values), "</article>"});
}

// Some of the kept, or rejected, candidates, evenly spaced from the best score to the worst.
std::vector<const Sight*> chosen(const Candidates& all, bool kept, std::size_t most) {
  std::vector<const Sight*> ranked;
  for (const Sight& sight : all.sights) {
    if ((all.draws.kept[sight.row] != 0) == kept) ranked.push_back(&sight);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [&](const Sight* a, const Sight* b) {
    return score_of(all.draws, *a) > score_of(all.draws, *b);
  });
  std::vector<const Sight*> some;
  const std::size_t count = std::min(most, ranked.size());
  for (std::size_t i = 0; i < count; ++i) {
    some.push_back(ranked[count > 1 ? i * (ranked.size() - 1) / (count - 1) : 0]);
  }
  return some;
}

std::string cards_html(const Candidates& all, bool kept, std::size_t most,
                       const Pictures& pictures) {
  std::string out;
  for (const Sight* sight : chosen(all, kept, most)) out += card_html(all, *sight, pictures);
  if (out.empty()) return "";
  return concat(
      {"<h3>", kept ? "Kept" : "Left out", "</h3><div class=\"gallery\">", out, "</div>"});
}

}  // namespace

std::string gallery_html(const Candidates& candidates) {
  const Pictures pictures(candidates);
  const bool all_kept = std::all_of(candidates.draws.kept.begin(), candidates.draws.kept.end(),
                                    [](std::uint8_t kept) { return kept != 0; });
  const std::string critics =
      candidates.draws.shape.critics > 1
          ? " Numbers of several critics stand one after another; the arrows are of the one whose "
            "score is the smallest, which is the candidate's."
          : "";
  const std::string left =
      all_kept ? " This run learns from every candidate: nothing is left out." : "";
  return concat(
      {report::page_paragraph(concat(
           {pictures.kind(), " A state and the one after it",
            candidates.config.n_steps > 1
                ? concat({" (", std::to_string(candidates.config.n_steps), " steps later)"})
                : "",
            "; the arrows lead from the prediction Q(s, a) to the online target (upper) and to the "
            "offline one (lower).",
            critics,
            " Shown are some of the first kept and the first left out of a draw, at "
            "even distances from the best score to the worst.",
            left})),
       cards_html(candidates, true, all_kept ? 2 * kMostCards : kMostCards, pictures),
       cards_html(candidates, false, kMostCards, pictures)});
}

}  // namespace tarl::inspect
