#pragma once

#include "cli/console/console.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// How a member is written for people.
enum class cell : std::uint8_t {
  text,      ///< as it is; null and absent: -
  time,      ///< how long ago; a single object has the local time too
  duration,  ///< milliseconds as 1.2s, 3m 04s
  seconds,   ///< seconds, the same way
  status,    ///< a run's, a monitor's or an alert's, with its colour
  boolean,   ///< yes, no
  bytes,     ///< 1.4 MiB
  id,        ///< an id; never shortened, because people paste it
  name,      ///< what a row is called by; first on a terminal
  prose,     ///< a sentence; in a table that has no room for it, whole in lines below its row
  results,   ///< the tests of a run with their results, a line each
  list,      ///< an array: its texts or the `name`, `title` or `id` of its objects, with commas
};

/// A column of a table, or a line of a single object. `member`: names and indexes with dots, `owner.name`,
/// `tests.0.id`.
struct column {
  std::string_view title;
  std::string_view member;
  cell settings = cell::text;
  /// In a table: left out when the terminal is narrow, the highest first; 0: never.
  int rank = 0;
};

/// A column that is shown, by its place among all, and how wide.
struct placed_column {
  std::size_t index;
  std::size_t width;
};

/// The value that a dotted member names; nullptr if there is none.
boost::json::value const* member_of(boost::json::value const& value, std::string_view dotted);
/// What it would point to is gone at once; an object is such a value too.
boost::json::value const* member_of(boost::json::value&& value, std::string_view dotted) = delete;
/// The text of an object's own member; empty if there is none, and for what is no text.
std::string text_of_member(boost::json::object const& object, std::string_view name);
/// A member in one line, without colour, made harmless (tabs too). `for_people`: as `cell` says; otherwise times,
/// durations, sizes and booleans as the API has them.
std::string cell_text(boost::json::value const* value, cell cell, bool for_people);
/// The colour of a status: an SGR sequence, or nothing for a word that is none.
std::string_view colour_of(std::string_view status);

/// Writes the rows of a list, page by page, in the chosen format, except JSON, which the caller has (a page is one
/// object). Quiet: `id_member` of each.
///
/// On a terminal a table as wide as that, whose columns have the widths of the first page, with the row's own id
/// last. Sentences (`cell::prose`) that have no room stand below their row, other texts are shortened, columns are
/// left out by their rank; `finish` says which. With `console::keep_everything` all of it is shown. Elsewhere each
/// cell whole, with tabs between them and a line of titles first, which name the units: for `cut`, `sort` and
/// spreadsheets.
class row_writer {
 public:
  row_writer(console& console, std::span<column const> columns, std::string_view id_member = "id");
  void rows(std::span<boost::json::value const> page);
  /// After the last page: says on stderr what the table had no room for.
  void finish();

 private:
  using lines = std::vector<std::vector<std::string>>;
  void text_rows(std::span<boost::json::value const> page);
  void place(lines const& first_page);
  std::string table_row(std::vector<std::string> const& cells, bool titles) const;
  std::string prose_below(std::vector<std::string> const& cells) const;

  console& console_;
  std::vector<column> columns_;
  std::vector<placed_column> places_;
  std::string_view id_member_;
  bool begun_ = false;
  std::string left_out_{};  ///< titles
};

/// All rows at once.
void show_rows(console& console, std::span<boost::json::value const> rows, std::span<column const> columns,
               std::string_view id_member = "id");
/// One object in the chosen format: a line for each column, with a tab behind its title when stdout is no terminal.
/// `whole`: what `--json` writes, the answer itself, when `object` is a member of it.
void show_object(console& console, boost::json::object const& object, std::span<column const> columns,
                 boost::json::value const* whole = nullptr, std::string_view id_member = "id");
/// An answer of the API in the chosen format; `--json` writes its own text. `member`: what the other formats show of
/// it. Throws `failure` (unreachable) when it is not a JSON object.
void show_answer(console& console, std::string_view answer, std::span<column const> columns,
                 std::string_view member = {}, std::string_view id_member = "id");
/// The object that an answer of the API is, as a value; throws `failure` (unreachable) for anything else.
boost::json::value object_of(std::string_view answer);
/// JSON text for stdout: in one line, or indented on a terminal.
std::string json_text(boost::json::value const& value, bool pretty);

/// `{member}` replaced by the dotted member's text (objects as JSON, null and absent as nothing); `{{`, `}}`, `\n`,
/// `\t` stand for `{`, `}`, line end and tab. Throws `bad_usage` for a template that does not close its braces.
std::string expanded(std::string_view template_text, boost::json::value const& row);
/// Throws `bad_usage` for a template with a member that no row has and no column shows, and names the nearest one.
/// Without rows nothing is known.
void check_template(std::string_view template_text, std::span<boost::json::value const> rows,
                    std::span<column const> columns);

}  // namespace svc::cli
