// SPDX-License-Identifier: MIT
#include "tarl/report/page/style.h"
#include "tarl/report/text.h"
#include "tarl/serve/assets.h"
#include "tarl/serve/live.h"

namespace tarl::serve {

namespace {

using report::concat;
using report::escape_html;

// A page in the report's style.
std::string document(const std::string& title, const std::string& body) {
  return concat(
      {"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
       "name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>",
       escape_html(title), "</title><style>", report::page_style(),
       embedded(kLiveAssets, "runs.css"), "</style></head><body>", body, "</body></html>\n"});
}

}  // namespace

std::string browser_page(const std::string& name) {
  return document(concat({name, " – tarl runs"}),
                  concat({"<header><h1>", escape_html(name), "</h1></header>",
                          embedded(kLiveAssets, "runs.html"), "<script>",
                          embedded(kLiveAssets, "runs.js"), "</script>"}));
}

std::string waiting_page(const std::string& why) {
  return document("tarl", concat({"<header><h1>No results yet</h1></header><main><p>This page "
                                  "shows them as soon as the first evaluation is done.</p><p "
                                  "class=\"note why\">",
                                  escape_html(why), "</p></main>"}));
}

std::string live_page(std::string html, const std::vector<std::string>& ids, bool single) {
  std::string names;
  for (const std::string& id : ids) names += (names.empty() ? "" : " ") + id;
  const std::size_t end = html.rfind("</body>");
  html.insert(
      end == std::string::npos ? html.size() : end,
      concat({"<div id=\"tarl-live\" data-runs=\"", names, "\">",
              single ? "" : "<a href=\"/\">All runs</a>", "<span role=\"status\">live</span>",
              "</div><style>", embedded(kLiveAssets, "live.css"), "</style><script>",
              embedded(kLiveAssets, "live.js"), "</script>"}));
  return html;
}

}  // namespace tarl::serve
