#include "cli/commands/job_page.hpp"
#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column provider_row[] = {{"ID", "id", cell::id, 1},
                                   {"Name", "name"},
                                   {"Type", "type"},
                                   {"Health", "health", cell::status},
                                   {"Enabled", "enabled", cell::boolean, 2},
                                   {"Last used", "lastUsed", cell::time, 3}};
constexpr column provider_details[] = {{"ID", "id"},
                                       {"Name", "name"},
                                       {"Type", "type"},
                                       {"Enabled", "enabled", cell::boolean},
                                       {"Health", "health"},
                                       {"Last error", "lastError"},
                                       {"Config", "config"},
                                       {"Hidden values", "maskedFields", cell::list},
                                       {"Last used", "lastUsed", cell::time},
                                       {"Created", "createdAt", cell::time},
                                       {"Updated", "updatedAt", cell::time}};

constexpr column provider_test_details[] = {
    {"Delivered", "success", cell::boolean}, {"Reason", "reason"}, {"Message", "message"}};

/// Shows what came of it; 0 only if the provider took the message.
exit_code test_provider(context& cx, std::string const& given) {
  auto const target = target_of(cx, provider_resource(), given, "/test");
  auto const answer = cx.client().send({.method = "POST", .target = target}).body;
  show_answer(cx.console, answer, provider_test_details, {}, "reason");
  auto const came = object_of(answer);
  auto const* const success = member_of(came, "success");
  bool const taken = success != nullptr && success->is_bool() && success->get_bool();
  return taken ? exit_code::ok : exit_code::refused;
}

void add_provider_test(CLI::App& provider, context& cx) {
  auto const given = std::make_shared<std::string>();
  auto* const test = add_command(provider, cx, "test", "Send a test message; exit 1 if the provider did not take it",
                                 provider_resource().example, [&cx, given] { return test_provider(cx, *given); });
  add_target(*test, provider_resource(), *given);
}

}  // namespace

resource const& provider_resource() {
  static resource const out{
      .group = "provider",
      .text = "provider",
      .many = "providers",
      .path = "/api/notification-providers",
      .name_member = "name",
      .example = "on-call",
      .create_example = "on-call --type slack --config slack.json",
      .update_example = "--disable",
      .repeats_names = true,
      .row = provider_row,
      .details = provider_details,
      .adapt = name_masked_members,
      .fields = {
          {.member = "name", .flag = "--name", .type_name = "TEXT", .help = "another name", .read = text_member},
          {.member = "type",
           .flag = "--type",
           .type_name = "TYPE",
           .help = "where alerts go",
           .read = text_member,
           .allowed = {"email", "slack", "webhook", "telegram", "discord", "teams", "pagerduty", "ntfy"}},
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

std::string provider_id(context& cx, std::string const& id_or_name) {
  return id_of(cx, provider_resource(), id_or_name);
}

void add_provider_commands(CLI::App& root, context& cx) {
  auto* const provider = root.add_subcommand("provider", "Notification providers: where alerts are sent");
  provider->require_subcommand(1);
  add_list(*provider, cx, provider_resource());
  add_get(*provider, cx, provider_resource());
  add_create(*provider, cx, provider_resource());
  add_update(*provider, cx, provider_resource());
  add_provider_test(*provider, cx);
  add_delete(*provider, cx, provider_resource());
}

}  // namespace svc::cli
