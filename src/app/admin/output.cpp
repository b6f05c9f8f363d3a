#include "app/admin/actions.hpp"

#include "svc/http/error_table.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace svc::app::admin {

namespace {

using line = std::vector<std::string>;

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

/// Cuts the cells of the widest columns, the last one first, until the lines have at most `form.most` characters.
void narrow(std::vector<line>& lines, table_form const& form) {
  std::vector<std::size_t> widths(lines[0].size());
  for (line& l : lines)
    for (std::size_t i = 0; i < l.size(); ++i) {
      l[i] = without_fraction(l[i]);
      widths[i] = std::max(widths[i], width(l[i]));
    }
  auto total = std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
  for (; total > form.most; --total) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (!form.columns[i].whole && (widest == nullptr || widths[i] >= *widest)) widest = &widths[i];
    if (widest == nullptr || *widest <= 1) break;
    --*widest;
  }
  for (line& l : lines)
    for (std::size_t i = 0; i < l.size(); ++i) l[i] = cut(l[i], widths[i]);
}

std::string table(boost::json::array const& rows, table_form const& form) {
  if (rows.empty()) return "none\n";
  auto columns = form.columns;
  if (columns.empty())
    for (auto const& [name, value] : rows[0].as_object()) columns.push_back({name, name});
  std::vector<line> lines(1);
  for (column const& entry : columns) lines[0].emplace_back(entry.title);
  for (boost::json::value const& row : rows) {
    line cells;
    for (column const& entry : columns) {
      auto const* found = row.as_object().if_contains(entry.member);
      cells.push_back(found == nullptr ? "-" : cell(*found));
    }
    lines.push_back(std::move(cells));
  }
  if (form.most > 0) narrow(lines, {.columns = columns, .most = form.most});
  return aligned(lines);
}

bool is_table(boost::json::value const& v) {
  return v.is_array() &&
         std::ranges::all_of(v.get_array(), [](boost::json::value const& row) { return row.is_object(); });
}

std::string text_of(boost::json::value const& body, table_form const& form) {
  if (is_table(body)) return table(body.get_array(), form);
  if (!body.is_object()) return cell(body) + "\n";
  std::vector<line> members;
  std::string tables;
  for (auto const& [name, value] : body.get_object()) {
    if (is_table(value) && value.get_array().empty())
      members.push_back({std::string(name) + ":", "none"});
    else if (is_table(value))
      tables += table(value.get_array(), form);
    else
      members.push_back({std::string(name) + ":", cell(value)});
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
