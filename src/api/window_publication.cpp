// This file reads and writes what status pages show of maintenance windows.
#include "api/checked_body.hpp"
#include "api/pages.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace svc::api {
namespace {

void ids_json(http::json_text& out, std::string_view name, std::vector<uuid> const& ids) {
  out.open_list(name);
  for (auto const& id : ids) out.element(id);
  out.close_list();
}

std::optional<windows::window_announcement> read_announcement(boost::json::object const& body,
                                                              windows::window_publication const* before,
                                                              std::vector<field_error>& wrong) {
  auto const* const found = given(body, "announcement");
  if (found == nullptr) return std::nullopt;
  auto const& members = found->as_object();
  windows::window_announcement out{.title = std::string(members.at("title").as_string()),
                                   .body = std::string(members.at("body").as_string())};
  bool const stored = before != nullptr && before->announcement;
  find_hidden("/announcement/title", out.title, stored ? &before->announcement->title : nullptr, wrong);
  return out;
}

}  // namespace

void publication_json(http::json_text& out, windows::window_publication const& shown) {
  ids_json(out, "statusPageIds", shown.status_pages);
  ids_json(out, "componentIds", shown.components);
  if (shown.announcement)
    out.open("announcement")
        .member("title", shown.announcement->title)
        .member("body", shown.announcement->body)
        .close();
  else
    out.member("announcement", nullptr);
  out.member("announceHours", static_cast<std::int64_t>(shown.announced_before.count()))
      .member("notify", shown.notify);
}

windows::window_publication read_publication(boost::json::object const& body,
                                             windows::window_publication const* before,
                                             std::vector<field_error>& wrong) {
  windows::window_publication out{.status_pages = ids_in(body, "statusPageIds"),
                                  .components = ids_in(body, "componentIds"),
                                  .announcement = read_announcement(body, before, wrong),
                                  .notify = flag_in(body, "notify", true)};
  if (auto const hours = number_in(body, "announceHours")) out.announced_before = std::chrono::hours(*hours);
  find_repeats(out.status_pages, "/statusPageIds/", "", wrong);
  find_repeats(out.components, "/componentIds/", "", wrong);
  if (out.status_pages.empty() && !out.components.empty())
    wrong.push_back({"/componentIds", "is only allowed together with statusPageIds"});
  return out;
}

}  // namespace svc::api
