#include "app/admin/actions.hpp"

#include "svc/http/error_table.hpp"

#include <algorithm>
#include <vector>

namespace svc::app::admin {

namespace {

using line = std::vector<std::string>;

std::string cell(boost::json::value const& v) {
  if (v.is_null()) return "-";
  if (v.is_string()) return std::string(v.get_string());
  return boost::json::serialize(v);
}

/// The number of code points, by which a terminal aligns.
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

/// Columns are the members of the first row.
std::string table(boost::json::array const& rows) {
  if (rows.empty()) return "none\n";
  std::vector<line> lines(1);
  for (auto const& [name, value] : rows[0].as_object()) lines[0].push_back(std::string(name));
  for (boost::json::value const& row : rows) {
    line cells;
    for (std::string const& name : lines[0]) {
      auto const* found = row.as_object().if_contains(name);
      cells.push_back(found == nullptr ? "-" : cell(*found));
    }
    lines.push_back(std::move(cells));
  }
  return aligned(lines);
}

bool is_table(boost::json::value const& v) {
  return v.is_array() &&
         std::ranges::all_of(v.get_array(), [](boost::json::value const& row) { return row.is_object(); });
}

}  // namespace

std::string to_text(boost::json::value const& body) {
  if (is_table(body)) return table(body.get_array());
  if (!body.is_object()) return cell(body) + "\n";
  std::vector<line> members;
  std::string tables;
  for (auto const& [name, value] : body.get_object()) {
    if (is_table(value))
      tables += table(value.get_array());
    else
      members.push_back({std::string(name) + ":", cell(value)});
  }
  return aligned(members) + tables;
}

std::string to_text(error const& why) {
  std::string out = why.message.empty() ? std::string(http::row_of(why.code).sentence) : why.message;
  for (field_error const& f : why.details) out += "\n  " + f.field + ": " + f.message;
  return out + "\n";
}

}  // namespace svc::app::admin
