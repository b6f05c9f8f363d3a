#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column audit_row[] = {{"When", "createdAt", cell::time},
                                {"Who", "actor.name"},
                                {"Action", "action"},
                                {"Resource", "resourceId", cell::id, 2},
                                {"Address", "ip", cell::text, 3},
                                {"Details", "details", cell::prose}};

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
      .filters = {{.flag = "--action", .parameter = "action", .type_name = "ACTION", .help = "such as job.updated"},
                  {.flag = "--actor", .parameter = "actorId", .type_name = "ID", .help = "what this user did"},
                  {.flag = "--from",
                   .parameter = "from",
                   .type_name = "TIME",
                   .help = "at this moment or later: RFC 3339, or -2h for two hours ago",
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
