#pragma once

#include "app/admin/session.hpp"
#include "svc/core/result.hpp"

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::app::admin {

/// The parsed options of all commands; each command fills its own. The object lives as long as the command.
struct arguments {
  std::string config{};
  bool json = false;
  std::string organization{};  ///< id or slug
  std::string project{};       ///< id or organization-slug/project-slug
  std::string user{};          ///< id or e-mail address
  std::string job{};           ///< id
  std::string id{};            ///< of a token or key
  std::string email{};
  std::string name{};
  std::string slug{};
  std::string role{};
  std::string kind = "cli";
  std::string expires_at{};  ///< RFC 3339
  std::optional<std::int64_t> expires_in{};
  std::optional<std::uint32_t> limit{};
  std::optional<std::uint32_t> window{};
  bool dry_run = false;
  std::string file{};
  std::string action{};
  std::string before{};  ///< a date, or an RFC 3339 date-time
  std::string reason{};
  bool missed_schedules = false;
  bool reset = false;
  std::string sign_in{};                 ///< any or oidc
  std::vector<std::string> providers{};  ///< ids of identity providers
  bool confirmed = false;
  std::int64_t page = 1;
  std::int64_t rows = 50;
};

// Each command has one function. The session must outlive the task; the caller prints the result.

task<answer> create_user(session& s, arguments a);
task<answer> create_organization(session& s, arguments a);
task<answer> create_project(session& s, arguments a);
task<answer> set_role(session& s, arguments a);
task<answer> remove_member(session& s, arguments a);
task<answer> ban_user(session& s, arguments a);
task<answer> unban_user(session& s, arguments a);
task<answer> archive_project(session& s, arguments a);
task<answer> unarchive_project(session& s, arguments a);
task<answer> list_users(session& s, arguments a);
task<answer> list_organizations(session& s, arguments a);
task<answer> list_projects(session& s, arguments a);
task<answer> list_members(session& s, arguments a);
task<answer> create_token(session& s, arguments a);
task<answer> list_tokens(session& s, arguments a);
task<answer> revoke_token(session& s, arguments a);
task<answer> create_trigger_key(session& s, arguments a);
task<answer> list_trigger_keys(session& s, arguments a);
task<answer> revoke_trigger_key(session& s, arguments a);
task<answer> create_runner(session& s, arguments a);
task<answer> list_runners(session& s, arguments a);
task<answer> revoke_runner(session& s, arguments a);
task<answer> list_instances(session& s, arguments a);
task<answer> import_tokens(session& s, arguments a);
task<answer> revoke_tokens(session& s, arguments a);
task<answer> end_runs(session& s, arguments a);
task<answer> release_slug(session& s, arguments a);
task<answer> archive_page(session& s, arguments a);
task<answer> rotate_master_key(session& s, arguments a);
task<answer> bootstrap(session& s, arguments a);
task<answer> create_sign_in_link(session& s, arguments a);
task<answer> list_sessions(session& s, arguments a);
task<answer> end_sessions(session& s, arguments a);
task<answer> set_sign_in_policy(session& s, arguments a);
task<answer> show_audit(session& s, arguments a);
task<answer> drop_audit(session& s, arguments a);

/// Parses an RFC 3339 date-time, or a date, which means midnight UTC at its start.
std::optional<timestamp> parse_day(std::string const& text);

/// Reads a file of at most 64 MiB; returns validation_failed when the file is not readable. `-` is standard input.
result<std::string> read_file(std::string const& path);

/// A column of a table: the member of each row that fills it, and its title (empty: the member's name in words).
struct column {
  std::string_view member;
  std::string_view title = {};
  bool whole = false;  ///< never cut
  int rank = 0;        ///< if there is no room, columns of higher ranks are left out first; those of rank 0 stay
};

/// Returns the body as text for people: a line `name: value` for each member, an aligned table for a list of objects.
/// A table has the given columns, or all members of its first row.
std::string to_text(boost::json::value const& body, std::vector<column> const& columns = {});

/// Returns the same text with times in whole seconds. It leaves out columns, says which, and cuts the longest cells,
/// so that no line of a table has more characters than `most`. A cut cell ends with "…".
std::string to_narrow_text(boost::json::value const& body, std::vector<column> const& columns, std::size_t most);

/// Returns the refusal in one sentence, then one line for each detail.
std::string to_text(error const& failure);

}  // namespace svc::app::admin
