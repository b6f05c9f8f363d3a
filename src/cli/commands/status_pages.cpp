// Status pages: what visitors see of the project's monitors.
#include "cli/commands/status_pages.hpp"

#include "cli/commands/shown_names.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace svc::cli {
namespace {

constexpr column page_row[] = {{"ID", "id", cell::id, 1},
                               {"Slug", "slug", cell::name},
                               {"Name", "name", cell::text, 4},
                               {"Page", "status", cell::status},
                               {"Shows", "componentStatus", cell::status, 2},
                               {"Visibility", "visibility", cell::text, 3},
                               {"Evidence", "evidenceAt", cell::time, 5}};
constexpr column page_details[] = {{"ID", "id"},
                                   {"Slug", "slug"},
                                   {"Name", "name"},
                                   {"Address", "url"},
                                   {"Page", "status", cell::status},
                                   {"Visibility", "visibility"},
                                   {"Allowed from", "allowedCidrs", cell::list},
                                   {"Shows", "componentStatus", cell::status},
                                   {"Evidence", "evidenceAt", cell::time},
                                   {"Headline", "headline"},
                                   {"Description", "description"},
                                   {"Language", "language"},
                                   {"Time zone", "timeZone"},
                                   {"Accent", "accentColor"},
                                   {"Support", "supportUrl"},
                                   {"Feeds", "allowFeeds", cell::boolean},
                                   {"Subscribers", "allowSubscribers", cell::boolean},
                                   {"Automatic incidents", "autoIncidents", cell::boolean},
                                   {"Outage lasts", "incidentDelay", cell::seconds},
                                   {"Notifies", "notificationProviders", cell::list},
                                   {"Domain", "customDomain"},
                                   {"Domain verified", "domain.verifiedAt", cell::time},
                                   {"TXT record", "domain.txtName"},
                                   {"TXT value", "domain.txtValue"},
                                   {"Created", "createdAt", cell::time},
                                   {"Updated", "updatedAt", cell::time}};

std::vector<list_filter> page_filters() {
  return {{.flag = "--status",
           .parameter = "status",
           .type_name = "STATUS",
           .help = "of this status",
           .allowed = {"draft", "published", "archived"}},
          {.flag = "--search", .parameter = "search", .type_name = "TEXT", .help = "part of the name or slug"}};
}

/// A page needs a name, so a new one without `--name` is called by its slug.
void prepare_page(context& /*cx*/, boost::json::object& body, std::string const& id) {
  if (id.empty() && !body.contains("name")) body["name"] = text_of_member(body, "slug");
  empty_cleared_list(body, "notificationProviders");
}

/// Returns the address of a published page; empty for another one. A page for members is not on its domain, because
/// browsers have their sessions at the service.
std::string address_of(context& cx, boost::json::object const& page) {
  if (text_of_member(page, "status") != "published") return {};
  boost::json::value const whole = page;
  auto const* const verified = member_of(whole, "domain.verifiedAt");
  bool const on_domain = text_of_member(page, "visibility") != "members";
  if (on_domain && verified != nullptr && verified->is_string())
    return "https://" + text_of_member(page, "customDomain") + "/";
  return cx.config().url.text + "/status/" + text_of_member(page, "slug");
}

void complete_page(context& cx, boost::json::object& page) {
  constexpr std::int64_t minute = 60;
  name_ids(cx, provider_resource(), page.if_contains("notificationProviders"));
  if (auto const address = address_of(cx, page); !address.empty()) page["url"] = address;
  boost::json::value const whole = page;
  auto const* const delay = member_of(whole, "autoIncidentMinutes");
  auto const* const automatic = member_of(whole, "autoIncidents");
  if (delay != nullptr && delay->is_int64() && automatic != nullptr && *automatic == true)
    page["incidentDelay"] = delay->get_int64() * minute;
}

/// Returns what visitors lose with a page. A draft has no visitors.
std::string lost_page(context& cx, std::string const& id) {
  auto const target = std::string(page_resource().path) + "/" + percent_encoded(id);
  auto const page = object_of(cx.client().send({.method = "GET", .target = target}).body);
  return text_of_member(page.get_object(), "status") == "published" ? "published, with its incidents and subscribers"
                                                                    : "";
}

/// Returns a sentence about a page that has nothing to show.
std::vector<std::string> page_warnings(boost::json::object const& page, bool creates) {
  if (creates && text_of_member(page, "status") == "draft")
    return {"The page is a draft, which nobody sees; svc page publish " + text_of_member(page, "slug") +
            " publishes it."};
  return {};
}

/// A command that gives a page another status.
struct page_change {
  char const *name, *help, *status;
};

constexpr page_change page_changes[] = {
    {"publish", "Publish a page at /status/SLUG", "published"},
    {"archive", "Take a page off the web; svc page publish brings it back", "archived"},
};

void add_page_change(CLI::App& page, context& cx, page_change const& change) {
  auto const given = std::make_shared<std::string>();
  auto* const command =
      add_command(page, cx, change.name, change.help, page_resource().example, [&cx, &change, given] {
        request const r{.method = "PATCH",
                        .target = target_of(cx, page_resource(), *given),
                        .body = boost::json::serialize(boost::json::object{{"status", change.status}})};
        return show_one(cx, page_resource(), answer_to(cx, r));
      });
  add_target(*command, page_resource(), *given);
}

}  // namespace

resource const& page_resource() {
  static resource const out{.group = "page",
                            .text = "page",
                            .many = "status pages",
                            .path = "/api/status-pages",
                            .name_member = "slug",
                            .example = "acme",
                            .list_example = "--status published",
                            .create_example = "acme --name 'Acme status' --status published",
                            .update_example = "--language de --zone Europe/Berlin",
                            .row = page_row,
                            .details = page_details,
                            .complete = complete_page,
                            .prepare = prepare_page,
                            .warnings = page_warnings,
                            .dependents = lost_page,
                            .filters = page_filters(),
                            .fields = page_fields()};
  return out;
}

std::string page_id(context& cx, std::string const& id_or_slug) {
  return id_of(cx, page_resource(), id_or_slug);
}

void empty_cleared_list(boost::json::object& body, std::string_view member) {
  auto* const list = body.if_contains(member);
  if (list != nullptr && list->is_null()) *list = boost::json::array();
}

void add_page_commands(CLI::App& root, context& cx) {
  auto* const page = root.add_subcommand("page", "Status pages: what visitors see of the monitors");
  page->require_subcommand(1);
  add_list(*page, cx, page_resource());
  add_get(*page, cx, page_resource());
  add_create(*page, cx, page_resource());
  add_update(*page, cx, page_resource());
  for (auto const& change : page_changes) add_page_change(*page, cx, change);
  add_page_logo(*page, cx);
  add_verify_domain(*page, cx);
  add_component_commands(*page, cx);
  add_subscriber_commands(*page, cx);
  add_delete(*page, cx, page_resource());
}

}  // namespace svc::cli
