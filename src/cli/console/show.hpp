#pragma once

#include "cli/console/console.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <span>
#include <string>
#include <string_view>

namespace svc::cli {

/// How a member is written for people.
enum class cell : std::uint8_t {
  text,      ///< as it is; null and absent: -
  time,      ///< RFC 3339 in local time; how long ago in tables
  duration,  ///< milliseconds as 1.2s, 3m 04s
  status,    ///< a run's, with its colour
  boolean,   ///< yes, no
  bytes,     ///< 1.4 MiB
  list,      ///< an array: its texts or the `name`, `title` or `id` of its objects, with commas
};

/// A column of a table, or a line of a single object. `member`: names and indexes with dots, `owner.name`,
/// `tests.0.id`.
struct column {
  std::string_view title;
  std::string_view member;
  cell how = cell::text;
  /// In a table: left out when the terminal is narrow, the highest first; 0: never.
  int rank = 0;
};

/// The value that a dotted member names; nullptr if there is none.
boost::json::value const* member_of(boost::json::value const& in, std::string_view dotted);
/// A member as `how` says, made harmless; without colour.
std::string cell_text(boost::json::value const* value, cell how, bool relative_times);

/// Rows in the chosen format, except JSON, which the caller has (a page is one object). Quiet: `id_member` of each.
void show_rows(console& to, std::span<boost::json::value const> rows, std::span<column const> columns,
               std::string_view id_member = "id");
/// One object in the chosen format. `whole`: what `--json` writes, the answer itself, when `object` is a member of
/// it.
void show_object(console& to, boost::json::object const& object, std::span<column const> columns,
                 boost::json::value const* whole = nullptr, std::string_view id_member = "id");
/// JSON text for stdout: in one line, or indented on a terminal.
std::string json_text(boost::json::value const& value, bool pretty);

/// `{member}` replaced by the dotted member's text (objects as JSON, null and absent as nothing); `{{`, `}}`, `\n`,
/// `\t` stand for `{`, `}`, line end and tab. Throws `bad_usage` for a template that does not close its braces.
std::string expanded(std::string_view template_text, boost::json::value const& row);

}  // namespace svc::cli
