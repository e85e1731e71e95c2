// SPDX-License-Identifier: MIT
#include "tarl/report/tables/table.h"

#include "tarl/report/text.h"

namespace tarl::report {

namespace {

// On a page a note has a line of its own, here it follows the number; intervals have brackets.
std::string with_note(const TableCell& cell) {
  if (cell.note.empty()) return cell.text;
  if (cell.note.starts_with('[') || cell.note.starts_with("±")) {
    return concat({cell.text, " ", cell.note});
  }
  return concat({cell.text, " (", cell.note, ")"});
}

// A bracket or star at the start of a row would be parsed as an argument of the line break before
// it.
const char* row_start(const std::string& text) {
  return text.starts_with('[') || text.starts_with('*') ? "{}" : "";
}

}  // namespace

std::string table_html(const Table& table) {
  const auto style = [&](std::size_t column) {
    return table.text_columns.contains(column) ? " class=\"l\"" : "";
  };
  std::string out = concat({"<div class=\"table\" id=\"", escape_html(table.id), "\">"});
  if (!table.title.empty()) out += concat({"<h3>", escape_html(table.title), "</h3>"});
  // A scrollable region takes the focus, so that the keyboard scrolls it, too.
  out += concat({"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"",
                 escape_html(table.title.empty() ? table.id : table.title), "\">"});
  out += "<table><thead><tr>";
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    out += concat({"<th", style(i), ">", escape_html(table.header[i]), "</th>"});
  }
  out += "</tr></thead><tbody>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const TableCell& cell = row[i];
      const std::string text = escape_html(cell.text);
      out += concat({"<td", style(i), ">", cell.strong ? concat({"<b>", text, "</b>"}) : text});
      if (!cell.note.empty()) out += concat({"<small>", escape_html(cell.note), "</small>"});
      out += "</td>";
    }
    out += "</tr>";
  }
  out += "</tbody></table></div>";
  if (!table.note.empty()) out += concat({"<p class=\"note\">", escape_html(table.note), "</p>"});
  return out + "</div>";
}

std::string table_latex(const Table& table) {
  std::string out = concat({"% ", one_line(table.title), "\n"});
  if (!table.note.empty()) out += concat({"% ", one_line(table.note), "\n"});
  out += "\\begin{tabular}{";
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    out += table.text_columns.contains(i) ? 'l' : 'r';
  }
  out += "}\n\\toprule\n";
  const auto end_row = [&] { out += " \\\\\n"; };
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    out += concat({i == 0 ? "" : " & ", escape_latex(table.header[i])});
  }
  end_row();
  out += "\\midrule\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string text = escape_latex(row[i].text);
      out += concat({i == 0 ? row_start(text) : " & ",
                     row[i].strong ? concat({"\\textbf{", text, "}"}) : text});
      if (!row[i].note.empty()) out += concat({" {\\scriptsize ", escape_latex(row[i].note), "}"});
    }
    end_row();
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string table_markdown(const Table& table) {
  std::string out = "|", rule = "|";
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    out += concat({" ", escape_markdown(table.header[i]), " |"});
    rule += table.text_columns.contains(i) ? " --- |" : " ---: |";
  }
  out += concat({"\n", rule, "\n"});
  for (const auto& row : table.rows) {
    out += "|";
    for (const TableCell& cell : row) {
      const std::string text = escape_markdown(with_note(cell));
      out += cell.strong ? concat({" **", text, "** |"}) : concat({" ", text, " |"});
    }
    out += "\n";
  }
  return out;
}

}  // namespace tarl::report
