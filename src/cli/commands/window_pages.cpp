// Maintenance windows on status pages: where they are announced, and what people say about them.
#include "cli/commands/window_pages.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/commands/posts.hpp"
#include "cli/commands/shown_names.hpp"
#include "cli/commands/status_pages.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/array.hpp>

namespace svc::cli {
namespace {

boost::json::value announcement_lead_member(std::vector<std::string> const& given) {
  return hours_argument(given.back(), "--announce");
}

std::string components_of_page(std::string_view page) {
  return std::string(page_resource().path) + "/" + percent_encoded(page) + "/components";
}

/// Returns the ids of the pages that the body names, or that the stored window has.
std::vector<std::string> publishing_pages(context& cx, boost::json::object const& body, std::string const& id) {
  boost::json::value source = body;
  if (!body.contains("statusPageIds") && !id.empty()) {
    auto const target = std::string(window_resource().path) + "/" + percent_encoded(id);
    source = object_of(cx.client().send({.method = "GET", .target = target}).body);
  }
  std::vector<std::string> out;
  auto const* const pages = member_of(source, "statusPageIds");
  if (pages == nullptr || !pages->is_array()) return out;
  for (auto const& each : pages->get_array()) out.push_back(cell_text(&each, cell::text, false));
  return out;
}

/// Returns the id of a component of one of the pages. The first page that has the name decides.
std::string published_component(context& cx, std::vector<std::string> const& pages, std::string const& given) {
  for (auto const& page : pages) {
    auto const path = components_of_page(page);
    if (auto const id = find_id(cx, page_components().address(path), given)) return *id;
  }
  throw failure(exit_code::refused, "not_found", "The pages of the window have no component '" + given + "'.",
                "svc page component list PAGE shows them.");
}

/// A new announcement without a title has the window's name. Without its title an announcement is removed.
void complete_announcement(boost::json::object& body, bool creates) {
  auto* const announcement = body.if_contains("announcement");
  if (announcement == nullptr || !announcement->is_object()) return;
  auto& members = announcement->get_object();
  auto const* const title = members.if_contains("title");
  if (title != nullptr && title->is_null()) {
    *announcement = nullptr;
    return;
  }
  if (title == nullptr && creates) members["title"] = text_of_member(body, "name");
}

void name_components(context& cx, boost::json::object& window) {
  auto* const components = window.if_contains("componentIds");
  if (components == nullptr || !components->is_array() || components->get_array().empty()) return;
  for (auto const& page : publishing_pages(cx, window, {})) {
    auto const path = components_of_page(page);
    name_ids(cx, page_components().address(path), components);
  }
}

/// Returns a window as the parent of posts, with its own arguments.
post_parent window_parent() {
  auto const given = std::make_shared<std::string>();
  return {.declare = [given](CLI::App& app) { add_target(app, window_resource(), *given); },
          .path = [given](context& cx) { return target_of(cx, window_resource(), *given); },
          .example = std::string(window_resource().example)};
}

}  // namespace

std::vector<body_field> publication_fields() {
  std::vector<body_field> out{{.member = "statusPageIds",
                               .flag = "--page",
                               .type_name = "PAGE",
                               .help = "announce it on this status page, by id or slug; repeatable",
                               .read = texts_member,
                               .nullable = true,
                               .many = true,
                               .id = page_id},
                              {.member = "componentIds",
                               .flag = "--component",
                               .type_name = "COMPONENT",
                               .help = "a component of the pages that shows maintenance, by id or name; those with "
                                       "covered monitors unless given; repeatable",
                               .read = texts_member,
                               .nullable = true,
                               .many = true},
                              {.member = "announcement.title",
                               .flag = "--title",
                               .type_name = "TEXT",
                               .help = "heading of the announcement; the window's name unless given",
                               .read = text_member,
                               .nullable = true}};
  for (auto& each : text_fields("announcement.body")) out.push_back(std::move(each));
  out.push_back({.member = "announceHours",
                 .flag = "--announce",
                 .type_name = "DURATION",
                 .help = "how long before its start it is announced: 3d unless given, at most 30d",
                 .read = announcement_lead_member});
  out.push_back(notify_field());
  return out;
}

void prepare_publication(context& cx, boost::json::object& body, std::string const& id) {
  complete_announcement(body, id.empty());
  // Components belong to pages, so a window that leaves its pages leaves their components as well.
  auto const* const left_pages = body.if_contains("statusPageIds");
  if (left_pages != nullptr && left_pages->is_null() && !body.contains("componentIds"))
    body["componentIds"] = nullptr;
  empty_cleared_list(body, "statusPageIds");
  empty_cleared_list(body, "componentIds");
  auto* const components = body.if_contains("componentIds");
  if (components == nullptr || !components->is_array() || components->get_array().empty()) return;
  auto const pages = publishing_pages(cx, body, id);
  if (pages.empty()) throw bad_usage("--component needs a page.", "Add --page PAGE, whose components these are.");
  for (auto& each : components->get_array())
    if (each.is_string()) each = published_component(cx, pages, std::string(each.get_string()));
}

void complete_publication(context& cx, boost::json::object& window) {
  constexpr std::int64_t hour = 3600;
  name_components(cx, window);
  auto* const pages = window.if_contains("statusPageIds");
  if (pages == nullptr || !pages->is_array() || pages->get_array().empty()) return;
  name_ids(cx, page_resource(), pages);
  auto const* const lead = window.if_contains("announceHours");
  if (lead != nullptr && lead->is_int64()) window["announcedBefore"] = lead->get_int64() * hour;
}

void add_window_posts(CLI::App& window, context& cx) {
  add_post(window, cx, window_parent(),
           {.name = "post",
            .help = "Publish an update of a window on its status pages",
            .example = "--text 'The work takes half an hour longer.'",
            .fields = post_fields()});
  add_post_list(window, cx, window_parent());
  add_post_correction(window, cx, window_parent());
}

}  // namespace svc::cli
