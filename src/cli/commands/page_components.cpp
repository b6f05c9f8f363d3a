// Components of a status page: the parts of a service that visitors know.
#include "cli/commands/shown_names.hpp"
#include "cli/commands/status_pages.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column component_row[] = {{"ID", "id", cell::id, 1},
                                    {"Name", "name"},
                                    {"Status", "status", cell::status},
                                    {"Group", "group", cell::text, 2},
                                    {"Position", "position", cell::text, 4},
                                    {"Override", "statusOverride", cell::status, 3}};
constexpr column component_details[] = {{"ID", "id"},
                                        {"Name", "name"},
                                        {"Description", "description"},
                                        {"Group", "group"},
                                        {"Position", "position"},
                                        {"Status", "status", cell::status},
                                        {"Monitors", "monitorIds", cell::list},
                                        {"Missing monitors", "missingMonitors"},
                                        {"Aggregation", "aggregation"},
                                        {"Shows uptime", "showUptime", cell::boolean},
                                        {"Override", "statusOverride", cell::status},
                                        {"Override until", "overrideUntil", cell::time},
                                        {"Created", "createdAt", cell::time},
                                        {"Updated", "updatedAt", cell::time}};

void prepare_component(context& /*cx*/, boost::json::object& body, std::string const& /*id*/) {
  empty_cleared_list(body, "monitorIds");
}

void complete_component(context& cx, boost::json::object& component) {
  name_ids(cx, monitor_resource(), component.if_contains("monitorIds"));
}

/// Returns the resource of a page's components, whose path is below the page's own.
resource components_below(std::string_view path) {
  return {.group = "page component",
          .text = "component",
          .many = "components of a page",
          .path = path,
          .name_member = "name",
          .order = "in their order",
          .example = "Checkout",
          .list_example = "acme",
          .create_example = "Checkout --monitor shop --group Shop",
          .update_example = "--override major_outage --until 2h",
          .repeats_names = true,
          .row = component_row,
          .details = component_details,
          .complete = complete_component,
          .prepare = prepare_component,
          .fields = component_fields()};
}

}  // namespace

owned_resource const& page_components() {
  static owned_resource const out{.owner = page_resource(),
                                  .below = "/components",
                                  .address = components_below,
                                  .owner_help = "the page's id or slug"};
  return out;
}

std::string component_id(context& cx, std::string_view path, std::string const& id_or_name) {
  return id_of(cx, components_below(path), id_or_name);
}

void add_component_commands(CLI::App& page, context& cx) {
  auto* const component = page.add_subcommand("component", "Components: the parts of a service that visitors know");
  component->require_subcommand(1);
  add_owned_list(*component, cx, page_components());
  add_owned_get(*component, cx, page_components());
  add_owned_create(*component, cx, page_components());
  add_owned_update(*component, cx, page_components());
  add_owned_delete(*component, cx, page_components());
}

}  // namespace svc::cli
