#include "svc/store/token_import.hpp"

#include "store/tokens/csv.hpp"

#include <algorithm>
#include <array>

namespace svc::store {

namespace {

constexpr std::size_t max_errors = 20, max_name = 100, max_start = 32;

enum import_column { kind, name, digest, start, project, job, owner, enabled, expires_at, column_count };
constexpr std::array<std::string_view, column_count> column_names{"kind", "name",  "digest",  "start",     "project",
                                                                  "job",  "owner", "enabled", "expires_at"};

/// Where each column stands in this file.
using layout = std::array<std::size_t, column_count>;

error refused(std::string text, std::vector<field_error> details = {}) {
  return {errc::validation_failed, std::move(text), std::move(details)};
}

result<layout> read_header(csv_row const& header) {
  layout at{};
  for (std::size_t c = 0; c < column_count; ++c) {
    auto const found = std::ranges::find(header.fields, column_names[c]);
    if (found == header.fields.end())
      return refused("The header lacks the column " + std::string(column_names[c]) + ".");
    at[c] = static_cast<std::size_t>(found - header.fields.begin());
  }
  if (header.fields.size() != column_count)
    return refused(
        "The header has a column that is unknown or there twice; known are kind, name, digest, start, "
        "project, job, owner, enabled, expires_at.");
  return at;
}

result<bool> read_enabled(std::string_view text) {
  if (text.empty() || text == "true") return true;
  if (text == "false") return false;
  return error(errc::validation_failed, "enabled is neither true nor false");
}

/// The first thing that is wrong with the row, else nothing.
std::optional<std::string> read_line(csv_row const& row, layout const& at, import_line& out) {
  if (row.fields.size() != column_count) return "a row has " + std::to_string(column_count) + " fields";
  auto const field = [&](import_column c) -> std::string const& { return row.fields[at[c]]; };
  auto const known = parse_token_kind(field(kind));
  if (!known) return "kind is none of cli, test, trigger, legacy_trigger";
  auto const label = checked_name(field(name), max_name);
  if (!label) return "name has 1 to 100 characters, none of them a control character";
  auto const hash = parse_stored_digest(field(digest));
  if (!hash) return "digest is neither 64 lower-case hex characters nor 43 of base64url";
  auto const shown = checked_name(field(start), max_start);
  if (!shown || !shown->starts_with(prefix_of(*known)))
    return "start begins with " + std::string(prefix_of(*known)) + " and has at most 32 characters";
  if (field(project).empty()) return "project is empty";
  if (is_trigger_key(*known) == field(job).empty()) return "a trigger key has a job, a token has none";
  auto const job_id = uuid::parse(field(job));
  if (!field(job).empty() && !job_id) return "job is no UUID";
  if (field(owner).empty()) return "owner is empty";
  auto const on = read_enabled(field(enabled));
  if (!on) return on.error().message;
  auto const end = parse_rfc3339(field(expires_at));
  if (!field(expires_at).empty() && !end) return "expires_at is no RFC 3339 date-time";
  out = {row.line, *known, *label, *hash, *shown, field(project), job_id, field(owner), *on, end};
  return std::nullopt;
}

}  // namespace

result<std::vector<import_line>> parse_token_csv(std::string_view text) {
  auto const rows = parse_csv(text);
  if (!rows) return rows.error();
  if (rows->empty()) return refused("The file is empty; it begins with a header.");
  auto const at = read_header(rows->front());
  if (!at) return at.error();

  std::vector<import_line> out;
  std::vector<field_error> wrong;
  for (std::size_t i = 1; i < rows->size() && wrong.size() < max_errors; ++i) {
    import_line line;
    if (auto why = read_line((*rows)[i], *at, line))
      wrong.push_back({"line " + std::to_string((*rows)[i].line), std::move(*why)});
    else
      out.push_back(std::move(line));
  }
  if (!wrong.empty()) return refused("The file has lines that cannot be imported.", std::move(wrong));
  if (out.empty()) return refused("The file has no rows behind its header.");
  return out;
}

}  // namespace svc::store
