#include "cli/commands/job_page.hpp"
#include "cli/commands/page_reader.hpp"
#include "cli/commands/resource.hpp"
#include "cli/console/harmless.hpp"
#include "svc/core/joined.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

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

/// True if the object alerts to this provider and to no other one.
bool alerts_only_to(boost::json::value const& object, std::string const& id) {
  auto const* const enabled = member_of(object, "alertConfig.enabled");
  auto const* const providers = member_of(object, "alertConfig.notificationProviders");
  return enabled != nullptr && *enabled == true && providers != nullptr && providers->is_array() &&
         providers->get_array().size() == 1 && providers->get_array().front() == boost::json::value(id);
}

/// Names monitors and jobs whose alerts nobody gets without the provider. Reads both lists, which a project bounds.
std::string only_provider_of(context& cx, std::string const& id) {
  constexpr std::size_t most_named = 5;
  std::vector<std::string> names;
  for (auto const* const path : {"/api/monitors", "/api/jobs"}) {
    page_reader pages(cx, path, {{"limit", "100"}});
    while (auto const page = pages.next()) {
      auto const body = object_of(*page);
      auto const* const rows = member_of(body, "data");
      if (rows == nullptr || !rows->is_array()) break;
      for (auto const& row : rows->get_array())
        if (alerts_only_to(row, id)) names.push_back(harmless(cell_text(member_of(row, "name"), cell::text, false)));
    }
  }
  if (names.empty()) return {};
  auto const more = names.size() - std::min(names.size(), most_named);
  names.resize(names.size() - more);
  return "the only provider of: " + joined(names, ", ") + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

/// Shows the outcome; returns 0 only if the provider accepted the message.
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
  auto* const test =
      add_command(provider, cx, "test", "Send a test message; exit 1 if the provider did not accept it",
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
      .dependents = only_provider_of,
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
           .help = "JSON with the settings of that type, from a file because it holds secrets; - is stdin",
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
