// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

namespace tarl::report {

struct TableCell {
  std::string text;
  std::string note;     // smaller, below the text
  bool strong = false;  // the best of its column
};

// A table of the page; also written as LaTeX and Markdown.
struct Table {
  std::string id;
  std::string title;
  std::string note;  // how to read it
  std::vector<std::string> header;
  std::vector<std::vector<TableCell>> rows;
  std::set<std::size_t> text_columns = {0};  // left-aligned; the rest are numbers
};

std::string table_html(const Table& table);
std::string table_latex(const Table& table);  // booktabs
std::string table_markdown(const Table& table);

}  // namespace tarl::report
