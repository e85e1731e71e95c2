// SPDX-License-Identifier: MIT
#include "tarl/report/page/style.h"

#include <utility>

#include "tarl/report/page/assets.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

// Ten hues and grey, on white and on near-black. Any two of the first six, and neighbours, stay
// distinguishable for protan and deutan readers (palette_test.cpp); text in them has a contrast of
// 4.5.
constexpr Palette kLight{"#1f66b8", "#c2491d", "#780078", "#603000", "#781830", "#3030c0",
                         "#d80078", "#487818", "#006048", "#9060a8", "#5f6b7a"};
constexpr Palette kDark{"#6cb0ff", "#ff8f5e", "#f0d800", "#48ffd8", "#ff3078", "#a860ff",
                        "#789000", "#ffc0ff", "#a8ff78", "#48a890", "#a3afbf"};

std::string class_of(int hue) {
  return hue == kHues ? "muted" : concat({"c", std::to_string(hue)});
}

std::string variables(const Palette& colours) {
  std::string out;
  for (int hue = 0; hue <= kHues; ++hue) {
    out += concat({"--", class_of(hue), ":", colours[static_cast<std::size_t>(hue)], ";"});
  }
  return out;
}

constexpr const char* kLightPage =
    "color-scheme:light;--bg:#f6f7f9;--card:#fff;--ink:#16202c;--soft:#566172;--line:#dfe3e9;"
    "--grid:#e9ecf1;--accent:#1f66b8;--good:#15803d;--bad:#b42318;--warn:#9a6700;--tint:#eef4fb;";
constexpr const char* kDarkPage =
    "color-scheme:dark;--bg:#0e1319;--card:#161d26;--ink:#e6ebf2;--soft:#9aa7b8;--line:#2a3441;"
    "--grid:#232d39;--accent:#6cb0ff;--good:#5bd68a;--bad:#ff8a7a;--warn:#e6b84c;--tint:#1a2635;";

constexpr std::array<std::pair<const char*, const char*>, 4> kFileColours{
    {{"ink", "#16202c"}, {"soft", "#566172"}, {"grid", "#e9ecf1"}, {"card", "#fff"}}};

std::string colour_classes() {
  std::string out;
  for (int hue = 0; hue <= kHues; ++hue) {
    const std::string name = class_of(hue);
    out += concat(
        {".", name, "{color:var(--", name, ")}.plot text.", name, "{fill:var(--", name, ")}\n"});
  }
  return out;
}

}  // namespace

const Palette& light_palette() {
  return kLight;
}

const Palette& dark_palette() {
  return kDark;
}

std::string page_style() {
  const std::string light = concat({kLightPage, variables(kLight)});
  const std::string dark = concat({kDarkPage, variables(kDark)});
  return concat({":root{", light, "}\n@media (prefers-color-scheme:dark){:root{", dark,
                 "}}\n:root[data-theme=light]{", light, "}\n:root[data-theme=dark]{", dark,
                 "}\n@media print{:root,:root[data-theme]{", light, "}}\n",
                 embedded(kPageAssets, "page.css"), embedded(kPageAssets, "figures.css"),
                 embedded(kPageAssets, "run.css"), embedded(kPageAssets, "gallery.css"),
                 embedded(kPageAssets, "plot.css"), colour_classes()});
}

std::string svg_file_style() {
  std::string style = concat(
      {".k{font-size:11px;fill:var(--soft)}", embedded(kPageAssets, "plot.css"), colour_classes()});
  // Programs that place figures in papers do not support CSS variables.
  const auto fill_in = [&style](const std::string& name, std::string_view value) {
    const std::string variable = concat({"var(--", name, ")"});
    for (std::size_t at = 0; (at = style.find(variable, at)) != std::string::npos;) {
      style.replace(at, variable.size(), value);
    }
  };
  for (int hue = 0; hue <= kHues; ++hue) {
    fill_in(class_of(hue), kLight[static_cast<std::size_t>(hue)]);
  }
  for (const auto& [name, value] : kFileColours) fill_in(name, value);
  return concat({"text{font-family:Arial,sans-serif}", style});
}

}  // namespace tarl::report
