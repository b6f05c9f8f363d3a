#include "app/admin/actions.hpp"

#include "svc/http/error_table.hpp"

#include <algorithm>
#include <vector>

namespace svc::app::admin {

namespace {

using line = std::vector<std::string>;

/// Columns are left out before others would be cut to less than this width.
constexpr std::size_t comfortable = 16;

std::string cell(boost::json::value const& v) {
  if (v.is_null()) return "-";
  if (v.is_string()) return std::string(v.get_string());
  return boost::json::serialize(v);
}

/// Returns the number of code points, by which a terminal aligns.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string aligned(std::vector<line> const& lines) {
  std::vector<std::size_t> widths;
  for (line const& l : lines) {
    widths.resize(std::max(widths.size(), l.size()));
    for (std::size_t i = 0; i < l.size(); ++i) widths[i] = std::max(widths[i], width(l[i]));
  }
  std::string out;
  for (line const& l : lines) {
    for (std::size_t i = 0; i < l.size(); ++i) {
      out += l[i];
      if (i + 1 < l.size()) out.append(widths[i] - width(l[i]) + 2, ' ');
    }
    out += "\n";
  }
  return out;
}

/// The form of tables. If `most` is zero, a table is as wide as its cells.
struct table_form {
  std::vector<column> const& columns;
  std::size_t most = 0;
};

/// Returns the first `most` characters; the last one is "…" if the text is longer.
std::string cut(std::string const& text, std::size_t most) {
  if (width(text) <= most) return text;
  std::string out;
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const starts = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (starts && ++count == most) break;
    out += text[i];
  }
  return out + "…";
}

/// Returns a time of RFC 3339 without its fraction, and any other text unchanged.
std::string without_fraction(std::string const& text) {
  auto const dot = text.find('.');
  bool const time = text.size() > 20 && text[4] == '-' && text[10] == 'T' && dot == 19 && text.back() == 'Z';
  return time ? text.substr(0, dot) + "Z" : text;
}

/// Returns a member's name in words: `unknownOrRevoked` is "unknown or revoked", `createdAt` is "created".
std::string words_of(std::string_view member) {
  if (member == "start") return "starts with";
  if (member.size() > 2 && member.ends_with("At")) member.remove_suffix(2);
  std::string out;
  for (char const c : member) {
    bool const large = c >= 'A' && c <= 'Z';
    if (large) out += ' ';
    out += large ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

/// A column of a table that is being written.
struct written_column {
  std::string title;
  bool whole;
  int rank;
  std::vector<std::string> cells{};
  std::size_t width = 0;

  std::size_t least() const { return whole ? width : std::min(width, comfortable); }
};

std::size_t sum_of(std::vector<written_column> const& columns, std::size_t (*width)(written_column const&)) {
  std::size_t out = columns.empty() ? 0 : 2 * (columns.size() - 1);
  for (auto const& each : columns) out += width(each);
  return out;
}

/// Leaves out the columns of the highest ranks until the others can have at most `most` characters. Returns their
/// titles.
std::string leave_out(std::vector<written_column>& columns, std::size_t most) {
  std::string out;
  while (sum_of(columns, [](written_column const& each) { return each.least(); }) > most) {
    auto const last = std::ranges::max_element(columns, {}, &written_column::rank);
    if (last == columns.end() || last->rank == 0) break;
    out += (out.empty() ? "" : ", ") + last->title;
    columns.erase(last);
  }
  return out;
}

/// Cuts the cells of the widest columns, the last one first, until a line has at most `most` characters.
void narrow(std::vector<written_column>& columns, std::size_t most) {
  auto total = sum_of(columns, [](written_column const& each) { return each.width; });
  for (; total > most; --total) {
    written_column* widest = nullptr;
    for (auto& each : columns)
      if (!each.whole && (widest == nullptr || each.width >= widest->width)) widest = &each;
    if (widest == nullptr || widest->width <= 1) break;
    --widest->width;
  }
  for (auto& each : columns)
    for (auto& text : each.cells) text = cut(text, each.width);
}

std::vector<column> columns_of(boost::json::array const& rows, table_form const& form) {
  if (!form.columns.empty()) return form.columns;
  std::vector<column> out;
  for (auto const& [name, value] : rows[0].as_object())
    out.push_back({.member = name,
                   .title = {},
                   .whole = name == "id" || name.ends_with("At"),
                   .rank = name.ends_with("At") ? 1 : 0});
  return out;
}

std::string table(boost::json::array const& rows, table_form const& form) {
  if (rows.empty()) return "none\n";
  std::vector<written_column> columns;
  for (column const& entry : columns_of(rows, form)) {
    written_column made{.title = entry.title.empty() ? words_of(entry.member) : std::string(entry.title),
                        .whole = entry.whole,
                        .rank = entry.rank};
    made.cells.push_back(made.title);
    for (boost::json::value const& row : rows) {
      auto const* found = row.as_object().if_contains(entry.member);
      auto const text = found == nullptr ? "-" : cell(*found);
      made.cells.push_back(form.most > 0 ? without_fraction(text) : text);
    }
    for (auto const& text : made.cells) made.width = std::max(made.width, width(text));
    columns.push_back(std::move(made));
  }
  std::string left_out;
  if (form.most > 0) {
    left_out = leave_out(columns, form.most);
    narrow(columns, form.most);
  }
  std::vector<line> lines(rows.size() + 1);
  for (auto const& each : columns)
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].push_back(each.cells[i]);
  return aligned(lines) +
         (left_out.empty() ? "" : "Left out: " + left_out + ". A wider terminal or --json shows everything.\n");
}

bool is_table(boost::json::value const& v) {
  return v.is_array() &&
         std::ranges::all_of(v.get_array(), [](boost::json::value const& row) { return row.is_object(); });
}

bool has_rows(boost::json::value const& v) {
  return is_table(v) && !v.get_array().empty();
}

/// Each table has a title if there are several.
std::string text_of(boost::json::value const& body, table_form const& form) {
  if (is_table(body)) return table(body.get_array(), form);
  if (!body.is_object()) return cell(body) + "\n";
  std::vector<line> members;
  std::string tables;
  auto const& object = body.get_object();
  bool const titles = std::ranges::count_if(object, [](auto const& member) { return has_rows(member.value()); }) > 1;
  for (auto const& [name, value] : object) {
    if (is_table(value) && value.get_array().empty())
      members.push_back({words_of(name) + ":", "none"});
    else if (is_table(value))
      tables += (titles ? words_of(name) + ":\n" : "") + table(value.get_array(), form);
    else
      members.push_back({words_of(name) + ":", cell(value)});
  }
  return aligned(members) + tables;
}

}  // namespace

std::string to_text(boost::json::value const& body, std::vector<column> const& columns) {
  return text_of(body, {.columns = columns});
}

std::string to_narrow_text(boost::json::value const& body, std::vector<column> const& columns, std::size_t most) {
  return text_of(body, {.columns = columns, .most = most});
}

std::string to_text(error const& failure) {
  std::string out = failure.message.empty() ? std::string(http::row_of(failure.code).sentence) : failure.message;
  for (field_error const& f : failure.details) out += "\n  " + f.field + ": " + f.message;
  return out + "\n";
}

}  // namespace svc::app::admin
