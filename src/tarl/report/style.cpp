// SPDX-License-Identifier: MIT
#include "tarl/report/style.h"

#include <array>
#include <utility>

#include "tarl/report/text.h"

namespace tarl::report {

namespace {

// Ten hues that stay apart for colour-blind eyes in pairs, and grey; on white and on near-black.
constexpr std::array<const char*, kHues + 1> kLight{"#1f66b8", "#c2491d", "#15803d", "#8645a8",
                                                    "#a16207", "#0e8390", "#be2f6f", "#4d5bc9",
                                                    "#6b5a3a", "#3f7d20", "#5f6b7a"};
constexpr std::array<const char*, kHues + 1> kDark{"#6cb0ff", "#ff8f5e", "#5bd68a", "#cf93f0",
                                                   "#e6b84c", "#4fd0dc", "#ff82b4", "#a3acff",
                                                   "#cdb98a", "#9fd873", "#a3afbf"};

std::string class_of(int hue) {
  return hue == kHues ? "muted" : concat({"c", std::to_string(hue)});
}

std::string variables(const std::array<const char*, kHues + 1>& colours) {
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

constexpr const char* kPlotStyle = R"css(
.plot text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif;fill:var(--ink)}
.plot .t{font-size:13px;font-weight:600}
.plot .k{font-size:11px;fill:var(--soft)}
.plot .a{font-size:11px;fill:var(--soft)}
.mid{text-anchor:middle}.end{text-anchor:end}
.grid{stroke:var(--grid);stroke-width:1;fill:none}
.axis{stroke:var(--soft);stroke-width:1;fill:none}
.line{stroke:currentColor;stroke-width:2;fill:none;stroke-linejoin:round;stroke-linecap:round}
.line.thin{stroke-width:1;opacity:.75}
.heavy .line{stroke-width:3.4}
.dash .line{stroke-dasharray:6 4}.dots .line{stroke-dasharray:1.5 4}
.band{fill:currentColor;opacity:.14;stroke:none}
.area{fill:currentColor;opacity:.75;stroke:none}
.bar{fill:currentColor;opacity:.85}
.dash .bar{opacity:.45}.dots .bar{opacity:.3}
.dot{fill:currentColor}
.dash .dot,.dots .dot{fill:var(--card);stroke:currentColor;stroke-width:2}
.whisker{stroke:currentColor;stroke-width:2;fill:none}
)css";

constexpr const char* kPageStyle = R"css(
*{box-sizing:border-box}
html{scroll-padding-top:4rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif}
header,main,footer{max-width:1680px;margin:0 auto;padding:0 clamp(1rem,3vw,2.5rem)}
header{padding-top:2rem}
h1{font-size:clamp(1.5rem,3.2vw,2.2rem);line-height:1.2;margin:0 0 .3rem;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{font-size:1.35rem;margin:0 0 .25rem;letter-spacing:-.01em}
h3{font-size:1.02rem;margin:1.6rem 0 .4rem}
p{margin:.4rem 0 .8rem;max-width:78ch}
a{color:var(--accent)}
code{font:.86em ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;overflow-wrap:anywhere}
small,.note,figcaption{color:var(--soft);font-size:.87rem}
.lead{color:var(--soft);font-size:1.08rem;max-width:70ch}
.chips{display:flex;flex-wrap:wrap;gap:.4rem;margin:1rem 0 0;padding:0;list-style:none}
.chips li{border:1px solid var(--line);background:var(--card);border-radius:99px;padding:.12rem .7rem;font-size:.87rem}
nav{position:sticky;top:0;z-index:5;background:var(--bg);border-bottom:1px solid var(--line);margin-top:1.2rem}
nav div{max-width:1680px;margin:0 auto;padding:.5rem clamp(1rem,3vw,2.5rem);display:flex;gap:1.1rem;align-items:center;overflow-x:auto;scrollbar-width:none}
nav a{color:var(--soft);text-decoration:none;white-space:nowrap;font-size:.93rem}
nav a:hover{color:var(--ink)}
nav button{margin-left:auto}
button{font:inherit;font-size:.87rem;color:var(--ink);background:var(--card);border:1px solid var(--line);border-radius:7px;padding:.25rem .7rem;cursor:pointer;white-space:nowrap}
button:hover{border-color:var(--accent)}
button[aria-pressed=true]{background:var(--accent);border-color:var(--accent);color:var(--card)}
button:focus-visible,a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
section{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:clamp(1rem,2.2vw,1.8rem);margin:1.2rem 0}
.banner{border-left:4px solid var(--warn);background:var(--card);padding:.6rem 1rem;border-radius:8px;margin:1rem 0}
.verdicts{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));margin:1rem 0}
.verdicts.three{grid-template-columns:repeat(auto-fit,minmax(min(100%,330px),1fr))}
.verdict p{font-size:.93rem;margin:.5rem 0 0}
.verdict{border:1px solid var(--line);border-left:5px solid var(--soft);border-radius:10px;padding:.9rem 1.1rem;background:var(--bg)}
.verdict.better{border-left-color:var(--good)}.verdict.worse{border-left-color:var(--bad)}
.verdict h3{margin:0 0 .2rem;display:flex;gap:.6rem;align-items:baseline;flex-wrap:wrap}
.badge{font-size:.78rem;font-weight:600;border-radius:99px;padding:.05rem .6rem;border:1px solid currentColor;color:var(--soft)}
.better .badge{color:var(--good)}.worse .badge{color:var(--bad)}
.big{font-size:1.5rem;font-weight:650;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .9rem;margin:.5rem 0;font-size:.93rem}
.facts dt{color:var(--soft)}.facts dd{margin:0;font-variant-numeric:tabular-nums}
.controls{display:flex;flex-wrap:wrap;gap:.9rem 1.4rem;margin:.8rem 0;align-items:center}
.controls div{display:flex;flex-wrap:wrap;gap:.3rem;align-items:center}
.controls span{color:var(--soft);font-size:.87rem;margin-right:.3rem}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;padding:0;margin:.4rem 0;font-size:.9rem}
.legend li{display:flex;align-items:center;gap:.4rem}
.legend.live li{cursor:pointer;border-radius:6px}
.legend li.off{opacity:.35;text-decoration:line-through}
figure{margin:1.2rem 0}
.panels{display:grid;gap:.8rem 1.2rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr))}
.panels.small{grid-template-columns:repeat(auto-fill,minmax(min(48%,210px),1fr))}
.panels.wide{grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr))}.plot:not([data-plot]){max-width:560px}.wide .plot{max-width:660px}
.panels.one{grid-template-columns:minmax(0,760px)}
@media (min-width:1000px){.panels.three{grid-template-columns:repeat(3,1fr)}}
.panels.four{grid-template-columns:repeat(auto-fill,minmax(min(100%,250px),1fr))}
@media (min-width:760px){.panels.even,.panels.two{grid-template-columns:repeat(2,1fr)}}
@media (min-width:1500px){.panels.even{grid-template-columns:repeat(4,1fr)}}
.plot{width:100%;height:auto;display:block;overflow:visible}
.plot[data-plot]{touch-action:pan-y;cursor:crosshair}
.zoom{fill:var(--accent);opacity:.15}.cursor{stroke:var(--soft);stroke-dasharray:3 3;fill:none}
#tip{position:fixed;z-index:9;pointer-events:none;background:var(--card);border:1px solid var(--line);border-radius:8px;box-shadow:0 4px 18px #0003;padding:.45rem .7rem;font-size:.83rem;display:none;font-variant-numeric:tabular-nums;max-width:90vw}
#tip b{display:block;margin-bottom:.15rem}#tip div{display:flex;justify-content:space-between;gap:1.2rem}
#tip i{font-style:normal;font-weight:600}
.scroll{overflow-x:auto;margin:.5rem 0;border:1px solid var(--line);border-radius:10px}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
th,td{padding:.42rem .8rem;text-align:right;vertical-align:top;white-space:nowrap;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--soft);font-size:.85rem;background:var(--bg)}
.l{text-align:left}
tbody tr:last-child td{border-bottom:0}
td:first-child,th:first-child{position:sticky;left:0;background:var(--card)}
th:first-child{background:var(--bg)}
td small{display:block;font-size:.79rem}
td.l{white-space:normal;overflow-wrap:anywhere;min-width:9.5rem}
.note{max-width:110ch}
details{border-top:1px solid var(--line);padding:.7rem 0}
details:last-child{padding-bottom:0}
summary{cursor:pointer;font-weight:600}
footer{color:var(--soft);font-size:.85rem;padding-bottom:2.5rem}
@media (max-width:600px){body{font-size:15px}section{border-radius:10px}th,td{padding:.36rem .55rem}.facts{grid-template-columns:1fr}.facts dt{margin-top:.3rem}td:first-child{max-width:46vw;white-space:normal}}
@media print{table{font-size:8pt}th,td{padding:.2rem .35rem}nav,.controls,#tip{display:none!important}body{background:#fff;font-size:10.5pt}section{border:0;padding:0;margin:1.2rem 0;break-inside:auto}figure,.verdict,tr,.plot{break-inside:avoid}.panels{grid-template-columns:repeat(3,1fr)}.panels.small{grid-template-columns:repeat(5,1fr)}.scroll{overflow:visible;border:0}header,main,footer{max-width:none;padding:0}h2{break-after:avoid}}
)css";

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

std::string page_style() {
  const std::string light = concat({kLightPage, variables(kLight)});
  const std::string dark = concat({kDarkPage, variables(kDark)});
  return concat({":root{", light, "}\n@media (prefers-color-scheme:dark){:root{", dark,
                 "}}\n:root[data-theme=light]{", light, "}\n:root[data-theme=dark]{", dark,
                 "}\n@media print{:root,:root[data-theme]{", light, "}}\n", kPageStyle, kPlotStyle,
                 colour_classes()});
}

std::string svg_file_style() {
  std::string style = concat({".k{font-size:11px;fill:var(--soft)}", kPlotStyle, colour_classes()});
  // Programs that place figures in papers do not know CSS variables.
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
