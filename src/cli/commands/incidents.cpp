// Incidents on status pages: what is wrong, and what people say about it.
#include "cli/commands/arguments.hpp"
#include "cli/commands/posts.hpp"
#include "cli/commands/shown_names.hpp"
#include "cli/commands/status_pages.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/array.hpp>

#include <array>

namespace svc::cli {
namespace {

constexpr column incident_row[] = {{"ID", "id", cell::id, 1},
                                   {"Name", "name"},
                                   {"Status", "status", cell::status},
                                   {"Impact", "impact"},
                                   {"Started", "startedAt", cell::time, 2},
                                   {"Resolved", "resolvedAt", cell::time, 3},
                                   {"Automatic", "automatic", cell::boolean, 4}};
constexpr column incident_details[] = {{"ID", "id"},
                                       {"Name", "name"},
                                       {"Status", "status", cell::status},
                                       {"Impact", "impact"},
                                       {"Components", "components", cell::list},
                                       {"Started", "startedAt", cell::time},
                                       {"Resolved", "resolvedAt", cell::time},
                                       {"Automatic", "automatic", cell::boolean},
                                       {"Outage", "outageId"},
                                       {"Updates", "updateCount"},
                                       {"Last update", "updates.0.displayAt", cell::time},
                                       {"Text", "updates.0.body"},
                                       {"Created", "createdAt", cell::time},
                                       {"Updated", "updatedAt", cell::time}};

/// A resolved incident keeps its name, which the next one may use again.
constexpr std::array<std::string_view, 3> open_statuses{"investigating", "identified", "monitoring"};

/// Reads `Checkout=partial_outage`; the name of a component may contain a sign of equality.
boost::json::value affected_member(std::vector<std::string> const& given) {
  boost::json::array out;
  for (auto const& text : given) {
    auto const sign = text.rfind('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
      throw bad_usage("'" + text + "' is not a component with its status.",
                      "Write COMPONENT=STATUS, Checkout=partial_outage.");
    out.push_back(boost::json::object{{"id", text.substr(0, sign)}, {"status", text.substr(sign + 1)}});
  }
  return out;
}

boost::json::value incident_start_member(std::vector<std::string> const& given) {
  return boost::json::value(moment_of(given.back(), system_now()));
}

body_field status_field() {
  return {.member = "status",
          .flag = "--status",
          .type_name = "STATUS",
          .help = "investigating unless given; svc window create announces planned work",
          .read = text_member,
          .allowed = {"investigating", "identified", "monitoring", "resolved"},
          .updates = false};
}

std::vector<body_field> incident_fields() {
  std::vector<body_field> out{
      {.member = "name", .flag = "--name", .type_name = "TEXT", .help = "another name", .read = text_member},
      status_field(),
      {.member = "impact",
       .flag = "--impact",
       .type_name = "IMPACT",
       .help = "minor unless given",
       .read = text_member,
       .allowed = {"none", "minor", "major", "critical"}},
      {.member = "components",
       .flag = "--component",
       .type_name = "COMPONENT=STATUS",
       .help = "a component, by id or name, and its status during the incident: Checkout=partial_outage; repeatable",
       .read = affected_member,
       .nullable = true,
       .many = true},
      {.member = "startedAt",
       .flag = "--start",
       .type_name = "TIME",
       .help = "when it started: 2h (ago), yesterday, or RFC 3339; at most 90 days back, now unless given",
       .read = incident_start_member}};
  auto texts = text_fields("body");
  texts.push_back(notify_field());
  for (auto& each : texts) {
    each.updates = false;
    out.push_back(std::move(each));
  }
  return out;
}

/// Returns the path of the components of the page whose incidents have this path.
std::string components_path(std::string_view incidents_path) {
  return std::string(incidents_path.substr(0, incidents_path.rfind('/'))) + "/components";
}

/// Puts ids in place of the names of components. The first update of a new incident needs a text and a status.
void prepare_incident(context& cx, std::string_view path, boost::json::object& body, std::string const& id) {
  if (id.empty()) require_text(body);
  if (id.empty() && !body.contains("status")) body["status"] = "investigating";
  empty_cleared_list(body, "components");
  auto* const affected = body.if_contains("components");
  if (affected == nullptr || !affected->is_array()) return;
  auto const components = components_path(path);
  for (auto& each : affected->get_array()) {
    auto* const component = each.if_object();
    auto const named = component == nullptr ? std::string() : text_of_member(*component, "id");
    if (!named.empty()) (*component)["id"] = component_id(cx, components, named);
  }
}

/// Shows components by name with their status, and the number of updates.
void complete_incident(context& cx, boost::json::object& incident) {
  auto const* const updates = incident.if_contains("updates");
  if (updates != nullptr && updates->is_array())
    incident["updateCount"] = static_cast<std::int64_t>(updates->get_array().size());
  auto* const affected = incident.if_contains("components");
  if (affected == nullptr || !affected->is_array() || affected->get_array().empty()) return;
  auto const path = std::string(page_resource().path) + "/" + text_of_member(incident, "pageId") + "/components";
  std::set<std::string, std::less<>> wanted;
  for (auto const& each : affected->get_array())
    if (each.is_object()) wanted.insert(text_of_member(each.get_object(), "id"));
  auto const names = names_of(cx, page_components().address(path), std::move(wanted));
  for (auto& each : affected->get_array()) {
    if (!each.is_object()) continue;
    auto const id = text_of_member(each.get_object(), "id");
    auto const name = names.find(id);
    each = (name == names.end() ? id : name->second) + ": " +
           status_in_words(text_of_member(each.get_object(), "status"));
  }
}

/// Returns the resource of a page's incidents, whose path is below the page's own.
resource incidents_below(std::string_view path) {
  return {.group = "incident",
          .text = "incident",
          .many = "incidents of a page",
          .path = path,
          .lookup_states = open_statuses,
          .lookup_parameter = "status",
          .name_member = "name",
          .order = "newest start first",
          .example = "'Checkout fails'",
          .list_example = "acme --status investigating",
          .create_example = "'Checkout fails' --impact major --component Checkout=partial_outage --body -",
          .update_example = "--impact critical",
          .repeats_names = true,
          .row = incident_row,
          .details = incident_details,
          .complete = complete_incident,
          .prepare_owned = prepare_incident,
          .filters = {{.flag = "--status",
                       .parameter = "status",
                       .type_name = "STATUS",
                       .help = "of this status",
                       .allowed = {"investigating", "identified", "monitoring", "resolved"}}},
          .fields = incident_fields()};
}

/// Returns an incident as the parent of posts, with its own arguments.
post_parent incident_parent() {
  struct arguments {
    std::string page, incident;
  };
  auto const given = std::make_shared<arguments>();
  return {.declare =
              [given](CLI::App& app) {
                add_target(app, page_resource(), given->page, page_incidents().owner_help);
                add_target(app, incidents_below({}), given->incident);
              },
          .path =
              [given](context& cx) {
                auto const path = target_of(cx, page_resource(), given->page, page_incidents().below);
                auto placed = incidents_below(path);
                placed.owner = given->page;
                return target_of(cx, placed, given->incident);
              },
          .example = "acme 'Checkout fails'"};
}

/// A post without `--status` keeps the status of its incident.
void keep_status(context& cx, std::string const& path, boost::json::object& body) {
  if (body.contains("status")) return;
  auto const incident = object_of(cx.client().send({.method = "GET", .target = path}).body);
  auto const status = text_of_member(incident.get_object(), "status");
  if (status == "resolved")
    throw bad_usage("The incident is resolved.",
                    "--status postmortem adds a post-mortem; --status investigating opens it again.");
  body["status"] = status;
}

void resolve_incident(context& /*cx*/, std::string const& /*path*/, boost::json::object& body) {
  body["status"] = "resolved";
}

void add_incident_posts(CLI::App& incident, context& cx) {
  auto status = status_field();
  status.help = "that of the incident unless given; postmortem only after resolved";
  status.allowed.emplace_back("postmortem");
  auto fields = post_fields();
  fields.insert(fields.begin(), status);
  add_post(incident, cx, incident_parent(),
           {.name = "post",
            .help = "Publish an update of an incident",
            .example = "--status monitoring --text 'A fix is deployed.'",
            .fields = std::move(fields),
            .prepare = keep_status});
  add_post(incident, cx, incident_parent(),
           {.name = "resolve",
            .help = "Publish the last update of an incident, which ends it",
            .example = "--text 'Payments work again.'",
            .fields = post_fields(),
            .prepare = resolve_incident});
  add_post_list(incident, cx, incident_parent());
  add_post_correction(incident, cx, incident_parent());
}

}  // namespace

owned_resource const& page_incidents() {
  static owned_resource const out{.owner = page_resource(),
                                  .below = "/incidents",
                                  .address = incidents_below,
                                  .owner_help = "the page's id or slug"};
  return out;
}

void add_incident_commands(CLI::App& root, context& cx) {
  auto* const incident = root.add_subcommand("incident", "Incidents: what status pages say about trouble");
  incident->require_subcommand(1);
  add_owned_list(*incident, cx, page_incidents());
  add_owned_get(*incident, cx, page_incidents());
  add_owned_create(*incident, cx, page_incidents());
  add_owned_update(*incident, cx, page_incidents());
  add_incident_posts(*incident, cx);
  add_owned_delete(*incident, cx, page_incidents());
}

}  // namespace svc::cli
