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

// What pages differ in; the rest is the frame's: head, navigation, styles and script.
struct PageFrame {
  std::string title;   // text
  std::string header;  // HTML: headline, chips, banners
  std::vector<Section> sections;
  std::string footer;  // HTML
  std::string data;    // JSON that the script draws from, see page_data
};

// One self-contained page that loads nothing.
std::string page_document(const PageFrame& frame);

// One number of an overview.
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
