// SPDX-License-Identifier: MIT
#include "tarl/report/page/page_frame.h"

#include "tarl/report/page/script.h"
#include "tarl/report/page/style.h"
#include "tarl/report/text.h"

namespace tarl::report {

namespace {

// The browser refuses to load anything from outside the page; 'self' is for `tarl serve`.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'";

constexpr const char* kHead =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"";
constexpr const char* kHeadEnd =
    "\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>";
constexpr const char* kTail =
    "</footer><div id=\"tip\" role=\"status\"></div>"
    "<script type=\"application/json\" id=\"data\">";

std::string navigation(const std::vector<Section>& sections) {
  std::string out = "<nav aria-label=\"sections\"><div>";
  for (const Section& section : sections) {
    out += concat({"<a href=\"#", section.id, "\">", section.title, "</a>"});
  }
  return out + "<button id=\"theme\" type=\"button\">Light / dark</button></div></nav>";
}

}  // namespace

std::string page_document(const PageFrame& frame) {
  std::string out = concat({kHead, kPolicy, kHeadEnd, escape_html(frame.title), "</title><style>",
                            page_style(), "</style></head><body><header>", frame.header,
                            "</header>", navigation(frame.sections), "<main>"});
  for (const Section& section : frame.sections) {
    out += concat({"<section id=\"", section.id, "\"><h2>", section.title, "</h2>", section.html,
                   "</section>"});
  }
  out += concat({"</main><footer>", frame.footer, kTail, frame.data, "</script><script>",
                 page_script(), "</script></body></html>\n"});
  return out;
}

std::string page_tiles(const std::vector<Tile>& tiles) {
  std::string out = "<dl class=\"tiles\">";
  for (const Tile& tile : tiles) {
    out += concat({"<div><dt>", tile.name, "</dt><dd>", escape_html(tile.value), "<small>",
                   escape_html(tile.note), "</small></dd></div>"});
  }
  return out + "</dl>";
}

std::string page_banner(const std::string& text) {
  return concat({"<div class=\"banner\">", escape_html(text), "</div>"});
}

std::string page_chip(const std::string& text) {
  return concat({"<li>", escape_html(text), "</li>"});
}

std::string page_paragraph(const std::string& text) {
  return concat({"<p>", escape_html(text), "</p>"});
}

std::string page_details(const std::string& title, const std::string& html) {
  return concat({"<details><summary>", escape_html(title), "</summary>", html, "</details>"});
}

std::string page_button(const char* value, const char* text, bool pressed) {
  return concat({"<button type=\"button\" value=\"", value, "\" aria-pressed=\"",
                 pressed ? "true" : "false", "\">", text, "</button>"});
}

}  // namespace tarl::report
