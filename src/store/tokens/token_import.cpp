#include "svc/store/tokens/token_import.hpp"

#include "svc/core/result.hpp"
#include "svc/domain/display_text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace svc::store {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

error misplaced(int line, std::string_view subject) {
  return {errc::validation_failed,
          "The file is not valid CSV.",
          {{"line " + std::to_string(line), std::string(subject)}}};
}

/// Reads rows from the front of `rest_`. Single use.
class csv_reader {
 public:
  explicit csv_reader(std::string_view text) : rest_(text) {
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
  }

  result<std::vector<csv_row>> read() {
    std::vector<csv_row> rows;
    while (!rest_.empty()) {
      csv_row row{.line = line_};
      do {
        auto field = read_field();
        if (!field) return field.error();
        row.fields.push_back(std::move(*field));
      } while (skip(','));
      end_line();
      if (row.fields.size() > 1 || !row.fields[0].empty()) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  bool skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void end_line() {
    skip('\r');
    if (skip('\n')) ++line_;
  }

  bool at_end_of_field() const {
    return rest_.empty() || rest_[0] == ',' || rest_[0] == '\n' || rest_.starts_with("\r\n") || rest_ == "\r";
  }

  result<std::string> read_field() {
    if (skip('"')) return read_quoted();
    std::string field;
    while (!at_end_of_field()) {
      if (rest_[0] == '"') return misplaced(line_, "a quote inside a field that does not begin with one");
      field += rest_[0];
      rest_.remove_prefix(1);
    }
    return field;
  }

  result<std::string> read_quoted() {
    int const begun = line_;
    std::string field;
    while (!rest_.empty()) {
      char const c = rest_[0];
      rest_.remove_prefix(1);
      if (c == '"' && !skip('"')) {
        if (at_end_of_field()) return field;
        return misplaced(line_, "text after a closing quote");
      }
      if (c == '\n') ++line_;
      field += c;
    }
    return misplaced(begun, "a quote that is never closed");
  }

  std::string_view rest_;
  int line_ = 1;
};

constexpr std::size_t max_errors = 20, max_start = 32;

enum import_column { kind, name, digest, start, project, job, owner, enabled, expires_at, column_count };
constexpr std::array<std::string_view, column_count> column_names{"kind", "name",  "digest",  "start",     "project",
                                                                  "job",  "owner", "enabled", "expires_at"};

/// The position of each column in the file.
using layout = std::array<std::size_t, column_count>;

error refused(std::string text, std::vector<field_error> details = {}) {
  return {errc::validation_failed, std::move(text), std::move(details)};
}

result<layout> read_header(csv_row const& header) {
  layout layout{};
  for (std::size_t c = 0; c < column_count; ++c) {
    auto const found = std::ranges::find(header.fields, column_names[c]);
    if (found == header.fields.end())
      return refused("The header lacks the column " + std::string(column_names[c]) + ".");
    layout[c] = static_cast<std::size_t>(found - header.fields.begin());
  }
  if (header.fields.size() != column_count)
    return refused(
        "The header has an unknown or a repeated column; the columns are kind, name, digest, start, "
        "project, job, owner, enabled, expires_at.");
  return layout;
}

result<bool> read_enabled(std::string_view text) {
  if (text.empty() || text == "true") return true;
  if (text == "false") return false;
  return error(errc::validation_failed, "enabled must be true or false");
}

/// Parses a row into `out`. Returns the first thing that is wrong with it, if any.
std::optional<std::string> read_line(csv_row const& row, layout const& layout, import_line& out) {
  if (row.fields.size() != column_count) return "a row must have " + std::to_string(column_count) + " fields";
  auto const field = [&](import_column c) -> std::string const& { return row.fields[layout[c]]; };
  auto const known = parse_token_kind(field(kind));
  if (!known) return "kind must be cli, test, trigger or legacy_trigger";
  auto const label = checked_name(field(name));
  if (!label) return "name must have 1 to " + std::to_string(longest_name) + " characters and no control character";
  auto const hash = parse_stored_digest(field(digest));
  if (!hash) return "digest must be 64 lower-case hex characters or 43 of base64url";
  auto const shown = checked_name(field(start), "start", max_start);
  if (!shown || !shown->starts_with(prefix_of(*known)))
    return "start must begin with " + std::string(prefix_of(*known)) + " and have at most 32 characters";
  if (field(project).empty()) return "project is empty";
  if (is_trigger_key(*known) == field(job).empty()) return "a trigger key has a job, a token has none";
  auto const job_id = uuid::parse(field(job));
  if (!field(job).empty() && !job_id) return "job is not a UUID";
  if (field(owner).empty()) return "owner is empty";
  auto const context = read_enabled(field(enabled));
  if (!context) return context.error().message;
  auto const end = parse_rfc3339(field(expires_at));
  if (!field(expires_at).empty() && !end) return "expires_at is not an RFC 3339 date-time";
  out = {row.line, *known, *label, *hash, *shown, field(project), job_id, field(owner), *context, end};
  return std::nullopt;
}

}  // namespace

result<std::vector<csv_row>> parse_csv(std::string_view text) {
  return csv_reader(text).read();
}

result<std::vector<import_line>> parse_token_csv(std::string_view text) {
  auto const rows = parse_csv(text);
  if (!rows) return rows.error();
  if (rows->empty()) return refused("The file is empty; it must start with a header.");
  auto const layout = read_header(rows->front());
  if (!layout) return layout.error();

  std::vector<import_line> out;
  std::vector<field_error> wrong;
  for (std::size_t i = 1; i < rows->size() && wrong.size() < max_errors; ++i) {
    import_line line;
    if (auto reason = read_line((*rows)[i], *layout, line))
      wrong.push_back({"line " + std::to_string((*rows)[i].line), std::move(*reason)});
    else
      out.push_back(std::move(line));
  }
  if (!wrong.empty()) return refused("The file has lines that cannot be imported.", std::move(wrong));
  if (out.empty()) return refused("The file has no rows after its header.");
  return out;
}

}  // namespace svc::store
