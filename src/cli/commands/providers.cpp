#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column provider_row[] = {{"ID", "id"},
                                   {"Name", "name"},
                                   {"Type", "type"},
                                   {"Enabled", "enabled", cell::boolean, 1},
                                   {"Last used", "lastUsed", cell::time, 2}};
constexpr column provider_details[] = {{"ID", "id"},
                                       {"Name", "name"},
                                       {"Type", "type"},
                                       {"Enabled", "enabled", cell::boolean},
                                       {"Config", "config"},
                                       {"Masked", "maskedFields", cell::list},
                                       {"Last used", "lastUsed", cell::time},
                                       {"Created", "createdAt", cell::time},
                                       {"Updated", "updatedAt", cell::time}};

}  // namespace

resource const& provider_resource() {
  static resource const out{
      .group = "provider",
      .one = "provider",
      .many = "providers",
      .path = "/api/notification-providers",
      .name_member = "name",
      .example = "on-call",
      .create_example = "on-call --type slack --config slack.json",
      .update_example = "--disable",
      .row = provider_row,
      .details = provider_details,
      .fields = {
          {.member = "name", .flag = "--name", .type_name = "TEXT", .help = "another name", .read = text_member},
          {.member = "type",
           .flag = "--type",
           .type_name = "TYPE",
           .help = "where alerts go",
           .read = text_member,
           .allowed = {"email", "slack", "webhook", "telegram", "discord", "teams", "pagerduty"}},
          {.member = "enabled",
           .flag = "--enable,!--disable",
           .type_name = "",
           .help = "whether alerts are sent there",
           .read = boolean_member},
          {.member = "config",
           .flag = "--config",
           .type_name = "FILE",
           .help = "JSON of that type, as it holds secrets from a file; - is stdin",
           .read = json_member,
           .from_file = true}}};
  return out;
}

void add_provider_commands(CLI::App& root, context& cx) {
  auto* const provider = root.add_subcommand("provider", "Notification providers: where alerts are sent");
  provider->require_subcommand(1);
  add_list(*provider, cx, provider_resource());
  add_get(*provider, cx, provider_resource());
  add_create(*provider, cx, provider_resource());
  add_update(*provider, cx, provider_resource());
  add_delete(*provider, cx, provider_resource());
}

}  // namespace svc::cli
