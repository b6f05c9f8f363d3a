#include "cli/commands/page_reader.hpp"
#include "cli/commands/resource.hpp"
#include "cli/console/harmless.hpp"
#include "svc/core/command_line.hpp"
#include "svc/core/joined.hpp"
#include "svc/core/uuid.hpp"

#include <CLI/CLI.hpp>

#include <set>

namespace svc::cli {
namespace {

constexpr column audit_row[] = {{"When", "createdAt", cell::time},
                                {"Who", "actor.name"},
                                {"Action", "action"},
                                {"Resource", "resourceId", cell::id, 2},
                                {"Address", "ip", cell::text, 3},
                                {"Details", "details", cell::prose}};

/// Finds a user by the name that the audit trail shows, because no other list of the API has users.
std::string actor_id(context& cx, std::string const& given) {
  constexpr int most_pages = 10;
  if (uuid::parse(given)) return given;
  if (given == "me") {
    auto const whoami = cx.client().fetch(whoami_request);
    auto const* const id = member_of(whoami, "user.id");
    if (id == nullptr || !id->is_string()) throw not_whoami(cx.config());
    return std::string(id->get_string());
  }
  page_reader pages(cx, "/api/audit", {{"limit", "100"}});
  for (int read = 0; read < most_pages; ++read) {
    auto const page = pages.next();
    if (!page) break;
    auto const body = object_of(*page);
    auto const* const rows = member_of(body, "data");
    if (rows == nullptr || !rows->is_array()) break;
    for (auto const& row : rows->get_array()) {
      auto const* const name = member_of(row, "actor.name");
      auto const* const id = member_of(row, "actor.id");
      if (name != nullptr && id != nullptr && id->is_string() && *name == boost::json::value(given))
        return std::string(id->get_string());
    }
  }
  throw failure(exit_code::refused, "not_found",
                "--actor: nobody named '" + given + "' made one of the newest 1000 changes.",
                "svc audit shows names; svc audit --template '{actor.id} {actor.name}' shows ids; me is you.");
}

/// Names the action that was meant, if the newest changes have a similar one. The trail has no other list of actions.
void explain_no_action(context& cx, std::span<std::string const> given) {
  auto const& action = given.front();
  if (action.empty()) return;
  auto const body = object_of(cx.client().send({.method = "GET", .target = "/api/audit?limit=100"}).body);
  std::set<std::string> known;
  if (auto const* const rows = member_of(body, "data"); rows != nullptr && rows->is_array())
    for (auto const& row : rows->get_array())
      if (row.is_object()) known.insert(text_of_member(row.get_object(), "action"));
  if (known.contains(action)) return;
  std::vector<std::string> const all(known.begin(), known.end());
  auto const nearest = nearest_word(action, all);
  cx.console.note("No change of the newest 100 has the action '" + harmless(action) + "'." +
                  (nearest.empty() ? " They have: " + joined(all, ", ") + "." : " Did you mean " + nearest + "?"));
}

resource const& audit_trail() {
  static resource const out{
      .group = "audit",
      .text = "row",
      .many = "changes in the audit trail",
      .path = "/api/audit",
      .name_member = "",
      .list_example = "--action job.updated --from -7d",
      .row = audit_row,
      .details = audit_row,
      .explain_empty = explain_no_action,
      .filters = {{.flag = "--action",
                   .parameter = "action",
                   .type_name = "ACTION",
                   .help = "with this action, such as job.updated; the column Action shows others"},
                  {.flag = "--actor",
                   .parameter = "actorId",
                   .type_name = "USER",
                   .help = "by this user: a name from the column Who, an id, or me",
                   .prepared = actor_id},
                  {.flag = "--from",
                   .parameter = "from",
                   .type_name = "TIME",
                   .help = "at this moment or later: -2h (ago), 2026-11-20, yesterday, or RFC 3339",
                   .prepared = moment_argument},
                  {.flag = "--to",
                   .parameter = "to",
                   .type_name = "TIME",
                   .help = "before this moment",
                   .prepared = moment_argument}}};
  return out;
}

}  // namespace

void add_audit_command(CLI::App& root, context& cx) {
  add_list(root, cx, audit_trail(), "audit");
}

}  // namespace svc::cli
