// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace tarl::report {

struct Section {
  const char* id;
  const char* title;  // HTML
  std::string html;
};

// The parts in which pages differ; the frame adds head, navigation, styles and script.
struct PageFrame {
  std::string title;   // text
  std::string header;  // HTML: headline, chips, banners
  std::vector<Section> sections;
  std::string footer;  // HTML
  std::string data;    // JSON for the script, see page_data
};

// One self-contained page without external resources.
std::string page_document(const PageFrame& frame);

// One number in an overview.
struct Tile {
  const char* name;
  std::string value, note;
};

std::string page_tiles(const std::vector<Tile>& tiles);
std::string page_banner(const std::string& text);
std::string page_chip(const std::string& text);
std::string page_paragraph(const std::string& text);
std::string page_details(const std::string& title, const std::string& html);
std::string page_button(const char* value, const char* text, bool pressed);

}  // namespace tarl::report
