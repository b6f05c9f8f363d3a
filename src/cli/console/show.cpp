#include "cli/console/show.hpp"

#include "cli/console/cells.hpp"
#include "cli/console/failure.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/json_layout.hpp"
#include "cli/console/table.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace svc::cli {
namespace {

constexpr std::string_view bold = "\x1b[1m", plain_again = "\x1b[0m";

/// Whether the row was written: ids and templates are.
bool row_was_short(console& to, boost::json::value const& row, std::string_view id_member) {
  if (to.how() == format::quiet) {
    to.data_line(cell_text(member_of(row, id_member), cell::text, false));
  } else if (to.how() == format::templated) {
    auto const line = expanded(to.template_text(), row);
    to.data_line(to.out_is_terminal() ? harmless(line, false, true) : line);
  } else {
    return false;
  }
  return true;
}

std::vector<std::string> cells_of(boost::json::value const& row, std::span<column const> columns, bool for_people) {
  std::vector<std::string> out;
  for (auto const& c : columns) out.push_back(cell_text(member_of(row, c.member), c.how, for_people));
  return out;
}

/// Programs get plain numbers, so the title names their unit.
std::string title_of(column const& c, bool for_people) {
  auto const* const unit = for_people                ? ""
                           : c.how == cell::duration ? " (ms)"
                           : c.how == cell::seconds  ? " (s)"
                           : c.how == cell::bytes    ? " (bytes)"
                                                     : "";
  return std::string(c.title) + unit;
}

std::vector<std::string> titles_of(std::span<column const> columns, bool for_people) {
  std::vector<std::string> out;
  for (auto const& c : columns) out.push_back(title_of(c, for_people));
  return out;
}

/// The end of an id tells more than its beginning, which is a time.
std::string shortened_id(std::string const& id) {
  constexpr std::size_t whole = 36, kept = 12;
  return id.size() == whole ? "…" + id.substr(whole - kept) : id;
}

bool is_own_id(column const& c) {
  return c.how == cell::id && c.member == "id";
}

std::string with_tabs(std::span<std::string const> cells) {
  std::string out;
  for (auto const& text : cells) out.append(&text == cells.data() ? "" : "\t").append(text);
  return out += '\n';
}

/// What stands beside a title on a terminal. Texts of several lines are indented like the first.
std::string value_for_people(boost::json::value const* value, cell how, std::size_t indent, bool colour) {
  auto const* const text = value == nullptr ? nullptr : value->if_string();
  if (text == nullptr) return cell_text(value, how, true);
  if (how == cell::time)
    if (auto const t = parse_rfc3339(*text)) return local_time(*t) + " (" + relative_time(*t, system_now()) + ")";
  if (how == cell::status) {
    auto const paint = colour ? colour_of(*text) : std::string_view();
    return paint.empty() ? harmless(*text) : std::string(paint).append(harmless(*text)).append(plain_again);
  }
  std::string out;
  for (auto const& c : harmless(*text, false, true)) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out;
}

}  // namespace

row_writer::row_writer(console& to, std::span<column const> columns, std::string_view id_member)
    : to_(to), columns_(columns.begin(), columns.end()), id_member_(id_member) {
  auto const id = std::ranges::find_if(columns_, is_own_id);
  if (to.out_is_terminal() && id != columns_.end()) std::rotate(id, id + 1, columns_.end());
}

void row_writer::rows(std::span<boost::json::value const> page) {
  if (to_.how() == format::text) return text_rows(page);
  for (auto const& row : page) row_was_short(to_, row, id_member_);
}

void row_writer::shorten_ids(lines& table) const {
  for (auto& line : table)
    for (std::size_t i = 0; i < line.size(); ++i)
      if (columns_[i].how == cell::id) line[i] = shortened_id(line[i]);
}

/// Widths of the columns by the first page; ids are shortened if the whole ones have no room.
void row_writer::measure(lines& table, bool with_ids) {
  widths_.assign(columns_.size(), 0);
  for (auto const& line : table)
    for (std::size_t i = 0; i < line.size(); ++i) widths_[i] = std::max(widths_[i], columns_of(line[i]));
  if (!with_ids || fits(widths_, static_cast<std::size_t>(to_.width()))) return;
  short_ids_ = std::ranges::any_of(columns_, [](column const& c) { return c.how == cell::id; });
  if (!short_ids_) return;
  shorten_ids(table);
  measure(table, false);
}

void row_writer::text_rows(std::span<boost::json::value const> page) {
  bool const table = to_.out_is_terminal(), whole = to_.keeps_everything();
  lines all;
  if (!begun_) all.push_back(titles_of(columns_, table));
  for (auto const& row : page) all.push_back(cells_of(row, columns_, table));
  if (short_ids_) shorten_ids(all);
  if (!begun_) measure(all, table && !whole);
  if (table && !begun_ && page.empty()) return to_.note("There are none.");
  auto const places =
      whole ? placed_whole(widths_) : placed(columns_, widths_, static_cast<std::size_t>(to_.width()), id_member_);
  std::string out;
  for (auto const& line : all) {
    bool const titles = !begun_ && &line == all.data();
    std::vector<std::string_view> paint(line.size());
    for (std::size_t i = 0; to_.colour_out() && i < line.size(); ++i)
      paint[i] = titles ? bold : columns_[i].how == cell::status ? colour_of(line[i]) : std::string_view();
    out += table ? table_line(places, line, paint) + "\n" : with_tabs(line);
  }
  if (table && !begun_)
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (std::ranges::none_of(places, [&](placed_column const& p) { return p.index == i; }))
        left_out_.append(left_out_.empty() ? "" : ", ").append(columns_[i].title);
  // An id that is not shown is not shortened either.
  auto const is_id = [&](placed_column const& p) { return columns_[p.index].how == cell::id; };
  if (!begun_) short_ids_ = short_ids_ && std::ranges::any_of(places, is_id);
  begun_ = true;
  to_.data(out);
}

void row_writer::finish() {
  if (left_out_.empty() && !short_ids_) return;
  to_.flush();
  auto const ids = left_out_.empty() ? "Ids are shortened." : short_ids_ ? "; ids are shortened." : ".";
  to_.note((left_out_.empty() ? "" : "Not shown: " + left_out_) + ids + " --wide shows everything.");
}

void show_rows(console& to, std::span<boost::json::value const> rows, std::span<column const> columns,
               std::string_view id_member) {
  row_writer table(to, columns, id_member);
  table.rows(rows);
  table.finish();
}

void show_object(console& to, boost::json::object const& object, std::span<column const> columns,
                 boost::json::value const* whole, std::string_view id_member) {
  bool const people = to.out_is_terminal();
  boost::json::value const row = object;
  if (to.how() == format::json) return to.data_line(json_text(whole != nullptr ? *whole : row, people));
  if (row_was_short(to, row, id_member)) return;
  std::size_t width = 0;
  for (auto const& c : columns) width = std::max(width, columns_of(c.title));
  std::string out;
  for (auto const& c : columns) {
    auto const& [title, member, how, rank] = c;
    auto const* const value = member_of(row, member);
    if (!people) {
      out.append(title_of(c, false)).append("\t").append(cell_text(value, how, false)).append("\n");
      continue;
    }
    auto const gap = std::string(width - columns_of(title) + 2, ' ');
    out += to.colour_out() ? std::string(bold).append(title).append(plain_again) : std::string(title);
    out.append(gap).append(value_for_people(value, how, width + 2, to.colour_out())).append("\n");
  }
  to.data(out);
}

boost::json::value object_of(std::string_view answer) {
  boost::json::error_code failed;
  auto value = boost::json::parse(answer, failed);
  if (failed || !value.is_object())
    throw failure(exit_code::unreachable, "not_the_service", "The answer is not the service's: it is no JSON object.",
                  "Check the address, and whether a proxy answers in its place.");
  return value;
}

void show_answer(console& to, std::string_view answer, std::span<column const> columns, std::string_view member,
                 std::string_view id_member) {
  auto const whole = object_of(answer);
  if (to.how() == format::json) return to.data_line(laid_out(answer, to.out_is_terminal()));
  auto const* const part = member.empty() ? &whole : member_of(whole, member);
  if (part == nullptr || !part->is_object()) object_of({});
  show_object(to, part->get_object(), columns, &whole, id_member);
}

std::string json_text(boost::json::value const& value, bool pretty) {
  return laid_out(boost::json::serialize(value), pretty);
}

}  // namespace svc::cli
