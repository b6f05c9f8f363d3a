#include "cli/console/show.hpp"

#include "cli/console/failure.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/table.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace svc::cli {
namespace {

constexpr std::string_view bold = "\x1b[1m", plain_again = "\x1b[0m";

/// Writes the row as an id or by a template. Returns false for other formats.
bool row_was_short(console& console, boost::json::value const& row, std::string_view id_member) {
  if (console.how() == format::quiet) {
    console.data_line(cell_text(member_of(row, id_member), cell::text, false));
  } else if (console.how() == format::templated) {
    auto const line = expanded(console.template_text(), row);
    console.data_line(console.out_is_terminal() ? harmless(line, false, true) : line);
  } else {
    return false;
  }
  return true;
}

std::vector<std::string> cells_of(boost::json::value const& row, std::span<column const> columns, bool for_people) {
  std::vector<std::string> out;
  for (auto const& c : columns) out.push_back(cell_text(member_of(row, c.member), c.form, for_people));
  return out;
}

/// Returns the title of a column. Programs get plain numbers, so their title names the unit.
std::string title_of(column const& c, bool for_people) {
  auto const* const unit = for_people                 ? ""
                           : c.form == cell::duration ? " (ms)"
                           : c.form == cell::seconds  ? " (s)"
                           : c.form == cell::bytes    ? " (bytes)"
                                                      : "";
  return std::string(c.title) + unit;
}

std::vector<std::string> titles_of(std::span<column const> columns, bool for_people) {
  std::vector<std::string> out;
  for (auto const& c : columns) out.push_back(title_of(c, for_people));
  return out;
}

bool is_own_id(column const& c) {
  return c.form == cell::id && c.member == "id";
}

std::string with_tabs(std::span<std::string const> cells) {
  std::string out;
  for (auto const& text : cells) out.append(&text == cells.data() ? "" : "\t").append(text);
  return out += '\n';
}

std::string painted_text(std::string_view status, bool colour) {
  auto const paint = colour ? colour_of(status) : std::string_view();
  auto const text = harmless(status_in_words(status));
  return paint.empty() ? text : std::string(paint).append(text).append(plain_again);
}

/// Returns the lines for a run's tests: status, time, title and error.
std::string result_lines(boost::json::array const& tests, std::size_t indent, bool colour) {
  constexpr std::size_t status_width = 9, time_width = 7;
  std::string out;
  for (auto const& each : tests) {
    auto const* const test = each.if_object();
    if (test == nullptr) continue;
    auto const status = text_of_member(*test, "status"), reason = text_of_member(*test, "errorDetails");
    auto const time = cell_text(member_of(each, "durationMs"), cell::duration, true);
    if (!out.empty()) out.append("\n").append(indent, ' ');
    out += painted_text(status, colour) + std::string(status_width - std::min(status_width, status.size()), ' ') +
           std::string(2 + time_width - std::min(time_width, time.size()), ' ') + time + "  " +
           harmless(text_of_member(*test, "title")) + (reason.empty() ? "" : ": " + harmless(reason));
  }
  return out.empty() ? "-" : out;
}

/// Returns the value next to a title on a terminal. Texts of several lines are indented like the first line.
std::string value_for_people(boost::json::value const* value, cell cell, std::size_t indent, bool colour) {
  auto const* const text = value == nullptr ? nullptr : value->if_string();
  if (cell == cell::results && value != nullptr && value->is_array())
    return result_lines(value->get_array(), indent, colour);
  if (text == nullptr) return cell_text(value, cell, true);
  if (cell == cell::time)
    if (auto const t = parse_rfc3339(*text)) return local_time(*t) + " (" + relative_time(*t, system_now()) + ")";
  if (cell == cell::status) return painted_text(*text, colour);
  std::string out;
  for (auto const& c : harmless(*text, false, true)) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out;
}

/// Breaks a long value between words, with all lines below its first one.
std::string wrapped_value(std::string const& text, std::size_t indent, int columns) {
  constexpr std::size_t least = 20;
  auto const width = static_cast<std::size_t>(std::max(columns, 0));
  if (width < indent + least || columns_of(text) + indent <= width || text.find('\n') != std::string::npos)
    return text;
  std::string out;
  for (auto const& line : wrapped(text, width - indent))
    out.append(out.empty() ? "" : "\n" + std::string(indent, ' ')).append(line);
  return out;
}

/// Returns true if two lines after the titles begin with the same cell.
bool repeats_first_cell(std::span<std::vector<std::string> const> lines) {
  std::vector<std::string_view> names;
  for (auto const& line : lines)
    if (&line != lines.data() && !line.empty()) names.emplace_back(line.front());
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) != names.end();
}

}  // namespace

row_writer::row_writer(console& console, std::span<column const> columns, std::string_view id_member)
    : console_(console), columns_(columns.begin(), columns.end()), id_member_(id_member) {
  if (!console.out_is_terminal()) return;
  auto const id = std::ranges::find_if(columns_, is_own_id);
  if (id != columns_.end()) std::rotate(id, id + 1, columns_.end());
  auto const name = std::ranges::find(columns_, cell::name, &column::form);
  if (name != columns_.end()) std::rotate(columns_.begin(), name, name + 1);
}

void row_writer::rows(std::span<boost::json::value const> page) {
  if (console_.how() == format::text) return text_rows(page);
  if (console_.how() == format::templated && !std::exchange(begun_, true))
    check_template(console_.template_text(), page, columns_);
  for (auto const& row : page) row_was_short(console_, row, id_member_);
}

/// Computes the columns' widths from the first page. Sentences leave the table if it has no room for all of it.
void row_writer::put(lines const& first_page) {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (auto const& line : first_page)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], columns_of(line[i]));
  auto const room = static_cast<std::size_t>(console_.width());
  if (!console_.out_is_terminal() || console_.keeps_everything() || fits(widths, room)) {
    shown_columns_ = console_.keeps_everything() ? placed_whole(widths) : placed(columns_, widths, room, id_member_);
    return;
  }
  // Only ids distinguish rows of one name.
  if (!columns_.empty() && is_own_id(columns_.back()) && repeats_first_cell(first_page)) columns_.back().rank = 0;
  std::vector<column> kept;
  std::vector<std::size_t> kept_widths, indexes;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].form == cell::prose) continue;
    kept.push_back(columns_[i]);
    kept_widths.push_back(widths[i]);
    indexes.push_back(i);
  }
  shown_columns_ = placed(kept, kept_widths, room, id_member_);
  for (auto& each : shown_columns_) each.index = indexes[each.index];
  for (auto const i : indexes)
    if (std::ranges::find(shown_columns_, i, &placed_column::index) == shown_columns_.end())
      left_out_.append(left_out_.empty() ? "" : ", ").append(columns_[i].title);
}

/// Returns the sentences of a row that the table has no room for.
std::string row_writer::prose_below(std::vector<std::string> const& cells) const {
  constexpr std::size_t indent = 4;
  auto const width = static_cast<std::size_t>(console_.width());
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (columns_[i].form != cell::prose || cells[i] == "-") continue;
    auto const iterator = std::ranges::find(shown_columns_, i, &placed_column::index);
    if (iterator != shown_columns_.end() && columns_of(cells[i]) <= iterator->width) continue;
    auto const text = std::string(columns_[i].title) + ": " + cells[i];
    for (auto const& line : wrapped(text, width > 2 * indent ? width - indent : width))
      out.append(indent, ' ').append(line).append("\n");
  }
  return out;
}

std::string row_writer::table_row(std::vector<std::string> const& cells, bool titles) const {
  std::vector<std::string_view> paint(cells.size());
  for (std::size_t i = 0; console_.colour_out() && i < cells.size(); ++i)
    paint[i] = titles ? bold : columns_[i].form == cell::status ? colour_of(cells[i]) : std::string_view();
  auto const out = table_line(shown_columns_, cells, paint) + "\n";
  return titles || console_.keeps_everything() ? out : out + prose_below(cells);
}

void row_writer::text_rows(std::span<boost::json::value const> page) {
  bool const table = console_.out_is_terminal();
  lines all;
  if (!begun_) all.push_back(titles_of(columns_, table));
  for (auto const& row : page) all.push_back(cells_of(row, columns_, table));
  if (table && !begun_ && page.empty()) return console_.note("There are none.");
  if (!begun_) put(all);
  std::string out;
  for (auto const& line : all) out += table ? table_row(line, !begun_ && &line == all.data()) : with_tabs(line);
  begun_ = true;
  console_.data(out);
}

void row_writer::finish() {
  if (left_out_.empty()) return;
  console_.flush();
  console_.note("Not shown: " + left_out_ + ". --wide shows everything.");
}

void show_rows(console& console, std::span<boost::json::value const> rows, std::span<column const> columns,
               std::string_view id_member) {
  row_writer table(console, columns, id_member);
  table.rows(rows);
  table.finish();
}

void show_object(console& console, boost::json::object const& object, std::span<column const> columns,
                 boost::json::value const* whole, std::string_view id_member) {
  bool const people = console.out_is_terminal();
  boost::json::value const row = object;
  if (console.how() == format::json) return console.data_line(json_text(whole != nullptr ? *whole : row, people));
  if (console.how() == format::templated) check_template(console.template_text(), std::span(&row, 1), columns);
  if (row_was_short(console, row, id_member)) return;
  std::size_t width = 0;
  for (auto const& c : columns) width = std::max(width, columns_of(c.title));
  std::string out;
  for (auto const& c : columns) {
    auto const& [title, member, cell, rank] = c;
    auto const* const value = member_of(row, member);
    if (!people) {
      out.append(title_of(c, false)).append("\t").append(cell_text(value, cell, false)).append("\n");
      continue;
    }
    auto const gap = std::string(width - columns_of(title) + 2, ' ');
    auto text = value_for_people(value, cell, width + 2, console.colour_out());
    bool const wraps = cell == cell::prose || (value != nullptr && value->is_structured() && cell != cell::results);
    if (wraps && !console.keeps_everything()) text = wrapped_value(text, width + 2, console.width());
    out += console.colour_out() ? std::string(bold).append(title).append(plain_again) : std::string(title);
    out.append(gap).append(text).append("\n");
  }
  console.data(out);
}

boost::json::value object_of(std::string_view answer) {
  boost::json::error_code failed;
  auto value = boost::json::parse(answer, failed);
  if (failed || !value.is_object())
    throw failure(exit_code::unreachable, "not_the_service",
                  "The answer is not the service's: it is not a JSON object.",
                  "Check the address, and whether a proxy answers instead of it.");
  return value;
}

void show_answer(console& console, std::string_view answer, std::span<column const> columns, std::string_view member,
                 std::string_view id_member) {
  auto const whole = object_of(answer);
  if (console.how() == format::json) return console.data_line(laid_out(answer, console.out_is_terminal()));
  auto const* const part = member.empty() ? &whole : member_of(whole, member);
  if (part == nullptr || !part->is_object()) object_of({});
  show_object(console, part->get_object(), columns, &whole, id_member);
}

std::string json_text(boost::json::value const& value, bool pretty) {
  return laid_out(boost::json::serialize(value), pretty);
}

}  // namespace svc::cli
