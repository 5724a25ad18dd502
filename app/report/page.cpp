// page.cpp: results as a page of HTML that needs nothing beside it.
#include "page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "svg.h"

namespace halation::app {
namespace {

/// Colours of lines and points, on white and on dark.
constexpr std::array<std::pair<std::string_view, std::string_view>, line_colours> inks = {{
    {"#555555", "#c4c4c4"},
    {"#7a5230", "#d3a982"},
    {"#1f5fa8", "#7fb5f2"},
    {"#b3441e", "#f2936d"},
    {"#1b7a4b", "#6fd09c"},
    {"#8a3a94", "#d99fe2"},
    {"#7a5c00", "#dcb84e"},
    {"#00748a", "#62cbdf"},
    {"#a8275a", "#f28db3"},
    {"#4a4f9e", "#adb2f7"},
    {"#5b6b1e", "#bccb72"},
}};

// Everything that is not the colour of a line. Light is the default, and what paper gets.
constexpr std::string_view style = R"(
:root { color-scheme: light dark; --page: #ffffff; --panel: #f5f5f3; --text: #1b1b1b; --soft: #555555; --grid: #c9c9c4;
  --cpu: #767676; --gpu: #1f5fa8; --library: #1b7a4b;
  --phase0: #7a5c00; --phase1: #1f5fa8; --phase2: #a8275a; --phase3: #b3441e; --phase4: #1b7a4b; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; }
header, section, details { background: var(--panel); border: 1px solid var(--grid); border-radius: 6px; padding: .75rem 1rem; margin: 0 0 1rem; }
.lead { font-size: 1.25rem; font-weight: 600; } summary { cursor: pointer; } summary h2 { display: inline; }
:focus-visible { outline: 2px solid var(--gpu); outline-offset: 2px; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.2rem; margin: 0 0 .25rem; }
p { margin: .25rem 0 .75rem; } dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; } code { font-size: .9em; }
.wide, .chart { overflow-x: auto; } .pair { display: flex; flex-wrap: wrap; gap: 0 1.5rem; } .pair > * { flex: 1 1 19rem; min-width: 0; max-width: 31rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem; margin: .25rem 0 .75rem; } h3 { font-size: 1rem; margin: .5rem 0 .25rem; }
table { border-collapse: collapse; font-size: .8rem; font-variant-numeric: tabular-nums; margin: .25rem 0 1rem; }
caption { text-align: left; font-weight: 600; padding: .25rem 0; }
th, td { padding: .15rem .5rem; text-align: right; border-bottom: 1px solid var(--grid); }
th { vertical-align: bottom; font-weight: 600; } th:first-child { text-align: left; white-space: nowrap; }
td.note { text-align: left; color: var(--soft); } tr.part th { font-weight: 400; padding-left: 1.5rem; }
svg { display: block; width: 100%; height: auto; margin: .5rem 0; font: 13px system-ui, sans-serif; }
svg text { fill: var(--text); } svg .small { font-size: 12px; } svg .strong { font-weight: 600; }
.grid { stroke: var(--grid); } .axis { stroke: var(--soft); } .leader { stroke: var(--soft); stroke-width: .7; fill: none; }
.mark { stroke: var(--text); stroke-width: 2; } .frame { stroke: var(--text); stroke-width: 2; fill: none; } .outline { stroke: var(--grid); fill: none; }
.positive { fill: var(--gpu); } .negative { fill: var(--phase3); } .positive, .negative { shape-rendering: crispEdges; } .roof { stroke: var(--text); stroke-width: 2; fill: none; }
.line { fill: none; stroke-width: 2; } .cpu { fill: var(--cpu); } .gpu { fill: var(--gpu); } .library { fill: var(--library); }
.phase0 { fill: var(--phase0); } .phase1 { fill: var(--phase1); } .phase2 { fill: var(--phase2); } .phase3 { fill: var(--phase3); }
.phase4 { fill: var(--phase4); } svg .hollow { fill: var(--page); stroke-width: 2; }
@media screen and (max-width: 40rem) { body { padding: .75rem; } header, section, details { padding: .6rem .75rem; } .lead { font-size: 1.1rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .35rem; } }
footer { margin-top: 2rem; color: var(--soft); font-size: .9rem; }
)";

constexpr std::string_view dark_style =
    R"(--page: #16181b; --panel: #1e2125; --text: #ececec; --soft: #b0b0b0; --grid: #3f444b;
  --cpu: #9a9a9a; --gpu: #7fb5f2; --library: #6fd09c;
  --phase0: #dcb84e; --phase1: #7fb5f2; --phase2: #f28db3; --phase3: #f2936d; --phase4: #6fd09c;)";

constexpr std::string_view print_style = R"(
@media print { body { max-width: none; padding: 0; font-size: 11px; } h1 { font-size: 20px; } h2 { font-size: 15px; } h3, .lead { font-size: 13px; }
  h2, h3 { break-after: avoid; } summary { list-style: none; } pre, dl, footer { font-size: 10px; }
  header, section, details { border: none; padding: 0; background: none; } details::details-content { content-visibility: visible; block-size: auto; }
  section, svg, table { break-inside: avoid; } .wide, .chart { overflow: visible; } svg { min-width: 0 !important; } .pair > * { flex-basis: 14rem; } table { font-size: 8px; } th, td { padding: .1rem .3rem; }
  rect, circle { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)";

/// The colours of lines as rules, each line with dashes of its own, so that colour alone decides nothing.
std::string styles() {
  constexpr std::array<std::string_view, 4> dashes = {"none", "7 3", "2 3", "9 3 2 3"};
  std::string light, dark, rules;
  for (std::size_t i = 0; i < inks.size(); ++i) {
    light += fmt::format("--ink{}: {}; ", i, inks[i].first);
    dark += fmt::format("--ink{}: {}; ", i, inks[i].second);
    rules += fmt::format(
        ".line{0} {{ stroke: var(--ink{0}); stroke-dasharray: {1}; }} .dot{0} {{ fill: var(--ink{0}); "
        "stroke: var(--ink{0}); }} "
        "svg .ink{0} {{ fill: var(--ink{0}); }}\n",
        i, dashes[i % dashes.size()]);
  }
  return fmt::format(
      "{}:root {{ {} }}\n{}@media screen and (prefers-color-scheme: dark) {{ :root {{ {} {} }} }}\n{}", style,
      light, rules, dark_style, dark, print_style);
}

std::string with_breaks(std::string heading) {
  for (char& c : heading) c = c == '_' ? ' ' : c;
  return escaped_markup(heading);
}

}  // namespace

std::string markup_of(const Table& table) {
  std::string text =
      fmt::format("<div class=\"wide\"><table>\n<caption>{}</caption>\n", escaped_markup(table.title));
  if (!table.headings.empty()) {
    text += fmt::format("<thead><tr><th scope=\"col\">{}</th>", escaped_markup(table.name_heading));
    for (const std::string& heading : table.headings)
      text += fmt::format("<th scope=\"col\">{}</th>", with_breaks(heading));
    text += "</tr></thead>\n";
  }
  text += "<tbody>\n";
  for (const Table::Row& row : table.rows) {
    text += fmt::format("<tr{}><th scope=\"row\">{}</th>", row.name.starts_with(' ') ? " class=\"part\"" : "",
                        escaped_markup(row.name));
    for (const std::string& cell : row.cells) text += fmt::format("<td>{}</td>", escaped_markup(cell));
    if (!row.note.empty()) {
      text += fmt::format("<td class=\"note\" colspan=\"{}\">{}</td>",
                          std::max<std::size_t>(table.headings.size(), 1), escaped_markup(row.note));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string section(std::string_view title, std::string_view explanation, const std::string& content) {
  if (content.empty()) return "";
  const std::string words =
      explanation.empty() ? "" : fmt::format("<p>{}</p>\n", escaped_markup(explanation));
  return fmt::format("<section>\n<h2>{}</h2>\n{}{}</section>\n", escaped_markup(title), words, content);
}

std::string folded(std::string_view title, std::string_view explanation, const std::string& content) {
  if (content.empty()) return "";
  const std::string words =
      explanation.empty() ? "" : fmt::format("<p>{}</p>\n", escaped_markup(explanation));
  return fmt::format("<details>\n<summary><h2>{}</h2></summary>\n{}{}</details>\n", escaped_markup(title), words, content);
}

std::string page(std::string_view title, std::string_view heading, const std::vector<std::string>& lead, const std::vector<Fact>& facts,
                 std::string_view command, const std::string& sections) {
  std::string first, list;
  for (const std::string& sentence : lead) first += fmt::format("<p class=\"lead\">{}</p>\n", escaped_markup(sentence));
  for (const Fact& fact : facts)
    list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped_markup(fact.name), escaped_markup(fact.text));
  list += fmt::format("<dt>command</dt><dd><code>{}</code></dd>\n", escaped_markup(command));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n{}<dl>\n{}</dl>\n</header>\n<main>\n{}</"
      "main>\n"
      "<footer>Made by halation; opens without a network.</footer>\n</body>\n</html>\n",
      escaped_markup(title), styles(), escaped_markup(heading), first, list, sections);
}

}  // namespace halation::app
