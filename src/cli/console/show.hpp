#pragma once

#include "cli/console/console.hpp"
#include "svc/core/time.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// The form of a member for people.
enum class cell : std::uint8_t {
  text,      ///< unchanged; null and absent: -
  time,      ///< the age; for a single object also the local time
  duration,  ///< milliseconds as 1.2s, 3m 04s
  seconds,   ///< seconds, the same way
  status,    ///< a run's, a monitor's or an alert's, with its colour
  boolean,   ///< yes, no
  bytes,     ///< 1.4 MiB
  id,        ///< an id; never shortened, because people paste it
  name,      ///< the name of a row; first on a terminal
  kind,      ///< a type of alerts, without its underscores: `monitor_failure` as `failure`
  prose,     ///< a sentence; in a table without room for it, whole in lines below its row
  results,   ///< the tests of a run with their results, one line each
  list,      ///< an array: its texts or the `name`, `title` or `id` of its objects, with commas
};

/// A column of a table, or a line of a single object. `member` has names and indexes with dots, such as `owner.name`
/// or `tests.0.id`.
struct column {
  std::string_view title;
  std::string_view member;
  cell form = cell::text;
  /// The rank in a table: a narrow terminal leaves out the highest rank first; 0: never. Ids have low ranks, because
  /// commands need them. If two rows have the same name, the row's own id counts as 0.
  int rank = 0;
};

/// A visible column: its index among all columns, and its width.
struct placed_column {
  std::size_t index;
  std::size_t width;
};

/// Returns `12s ago`, `3m ago`, `in 5h` or `40d ago`; for a time further away than 60 days, the day of the local
/// time.
std::string relative_time(timestamp t, timestamp now);
/// Returns the time by RFC 3339 in the local time zone, in whole seconds.
std::string local_time(timestamp t);
/// Returns `850ms`, `1.2s`, `3m 04s` or `2h 05m`.
std::string short_duration(std::int64_t ms);
/// Returns `512 B` or `1.4 MiB`.
std::string short_size(std::uint64_t bytes);

/// Returns the value that a dotted member names, or nullptr without one.
boost::json::value const* member_of(boost::json::value const& value, std::string_view dotted);
/// Deleted, because the result would point into a temporary value; an object converts to such a value too.
boost::json::value const* member_of(boost::json::value&& value, std::string_view dotted) = delete;
/// Returns the text of an object's own member; empty if the member is absent or no text.
std::string text_of_member(boost::json::object const& object, std::string_view name);
/// Returns a member in one line, without colour, made harmless (tabs too). With `for_people`, the form is that of
/// `cell`; otherwise times, durations, sizes and booleans keep the API's form.
std::string cell_text(boost::json::value const* value, cell cell, bool for_people);
/// Returns a status for people: `timed out`.
std::string status_in_words(std::string_view status);
/// Returns the colour of a status, also of one in words: an SGR sequence, or an empty text for a word that is no
/// status.
std::string_view colour_of(std::string_view status);

/// Writes the rows of a list, page by page, in the chosen format, except JSON, which the caller writes (a page is one
/// object). The quiet format prints the `id_member` of each row.
///
/// On a terminal the table is at most as wide as the terminal. Its columns have the widths of the first page, and the
/// row's own id is last. Sentences (`cell::prose`) without room appear below their row, other texts are shortened,
/// and columns are left out by their rank. `finish` names the omitted columns. With `console::keep_everything` the
/// table shows all columns in full.
///
/// Elsewhere the writer prints each cell in full, with tabs between cells, for `cut`, `sort` and spreadsheets. The
/// first line has the titles, which name the units.
class row_writer {
 public:
  row_writer(console& console, std::span<column const> columns, std::string_view id_member = "id");
  void rows(std::span<boost::json::value const> page);
  /// Finishes after the last page: lists on stderr the columns that the table had no room for.
  void finish();

 private:
  using lines = std::vector<std::vector<std::string>>;
  void text_rows(std::span<boost::json::value const> page);
  void put(lines const& first_page);
  std::string table_row(std::vector<std::string> const& cells, bool titles) const;
  std::string prose_below(std::vector<std::string> const& cells) const;

  console& console_;
  std::vector<column> columns_;
  std::vector<placed_column> shown_columns_;
  std::string_view id_member_;
  bool begun_ = false;
  std::string left_out_{};  ///< the omitted titles
};

/// Writes all rows at once.
void show_rows(console& console, std::span<boost::json::value const> rows, std::span<column const> columns,
               std::string_view id_member = "id");
/// Writes one object in the chosen format: one line per column, with a tab after its title when stdout is no
/// terminal. `whole` is the answer that `--json` writes when `object` is a member of it.
void show_object(console& console, boost::json::object const& object, std::span<column const> columns,
                 boost::json::value const* whole = nullptr, std::string_view id_member = "id");
/// Writes an answer of the API in the chosen format; `--json` writes the answer's own text. The other formats show
/// only its `member`. Throws `failure` (unreachable) when the answer is not a JSON object.
void show_answer(console& console, std::string_view answer, std::span<column const> columns,
                 std::string_view member = {}, std::string_view id_member = "id");
/// Returns the object in an answer of the API, as a value. Throws `failure` (unreachable) for any other answer.
boost::json::value object_of(std::string_view answer);
/// Returns JSON text for stdout: in one line, or indented on a terminal.
std::string json_text(boost::json::value const& value, bool pretty);

/// Replaces `{member}` by the dotted member's text (objects as JSON, null and absent as an empty text); `{{`, `}}`,
/// `\n`, `\t` become `{`, `}`, line end and tab. Throws `bad_usage` for a template that does not close its braces.
std::string expanded(std::string_view template_text, boost::json::value const& row);
/// Throws `bad_usage` for a template with a member that no row has and no column shows, and names the nearest member.
/// Without rows it checks nothing.
void check_template(std::string_view template_text, std::span<boost::json::value const> rows,
                    std::span<column const> columns);

/// Returns the JSON text in one line, or indented by two spaces for each level (`pretty`). Numbers and strings stay
/// as they are written, so that no integer is rounded. The indented form, which people see, escapes the characters
/// that `harmless` would show (`\u009b`). For a text that is not JSON, the result is not JSON either.
std::string laid_out(std::string_view json, bool pretty);

/// Returns the texts of the elements of the array that the object `json` has under that name; empty if it has none.
/// The texts live as long as `json`.
std::vector<std::string_view> elements_of(std::string_view json, std::string_view member);

}  // namespace svc::cli
