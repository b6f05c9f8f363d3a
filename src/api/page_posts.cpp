// This file reads and writes posts: the updates of incidents and of maintenance windows.
#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/pages.hpp"
#include "api/replies.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

#include <optional>
#include <string>
#include <utility>

namespace svc::api {
namespace {

/// Writes the members that posts of incidents and of windows have.
void post_json(http::json_text& out, pages::stored_post const& post) {
  out.member("status", pages::to_text(post.status))
      .member("body", post.body)
      .member("automatic", post.automatic)
      .member("displayAt", post.display_at)
      .member("notify", post.notify)
      .member("editedAt", post.edited_at)
      .member("createdAt", post.created_at)
      .member("updatedAt", post.edited_at.value_or(post.created_at));
}

using post_writer = void (*)(http::json_text&, uuid const&, pages::stored_post const&);

reply post_reply(call const& c, uuid const& parent, pages::stored_post const& post, post_writer write) {
  return shown_reply(c, pages::version_of(post), [&](http::json_text& out) { write(out, parent, post); });
}

result<reply> posts_reply(call const& c, uuid const& parent, result<page<pages::stored_post>> const& found,
                          post_writer write) {
  if (!found) return found.error();
  return page_reply(c, *found, [&](http::json_text& out) {
    for (auto const& post : found->rows) {
      out.open_element();
      write(out, parent, post);
      out.close();
    }
  });
}

result<reply> corrected_reply(call const& c, uuid const& parent, result<pages::stored_post> const& post,
                              post_writer write) {
  if (!post) return post.error();
  return post_reply(c, parent, *post, write);
}

uuid incident_id(call const& c) {
  return c.path_id("incidentId");
}

}  // namespace

void incident_post_json(http::json_text& out, uuid const& incident, pages::stored_post const& post) {
  out.member("id", post.id).member("incidentId", incident);
  post_json(out, post);
}

void window_post_json(http::json_text& out, uuid const& window, pages::stored_post const& post) {
  out.member("id", post.id).member("windowId", window).member("occurrenceId", post.occurrence);
  post_json(out, post);
}

pages::new_post read_post(boost::json::object const& body) {
  auto const status = text_in(body, "status");
  auto const known = status ? pages::post_status_of(*status) : std::nullopt;
  return {.status = known.value_or(pages::post_status::note),
          .body = std::string(body.at("body").as_string()),
          .display_at = time_in(body, "displayAt"),
          .notify = flag_in(body, "notify", true)};
}

pages::post_correction read_correction(boost::json::object const& body) {
  return {.body = text_in(body, "body"), .display_at = time_in(body, "displayAt")};
}

task<result<reply>> list_incident_updates(call& c) {
  auto const found =
      co_await c.use.stores.incidents.list_posts(c.caller.project_id, c.path_id(), incident_id(c), c.page(), c.until);
  co_return posts_reply(c, incident_id(c), found, incident_post_json);
}

task<result<reply>> create_incident_update(call& c) {
  auto const made = co_await c.use.stores.incidents.add_post(edit_by(c), c.caller.owner_id, c.path_id(),
                                                             incident_id(c), read_post(c.body.as_object()), c.until);
  if (!made) co_return made.error();
  co_return created(c, post_reply(c, incident_id(c), *made, incident_post_json),
                    "/api/status-pages/" + c.path_id().to_string() + "/incidents/" + incident_id(c).to_string() +
                        "/updates/" + made->id.to_string());
}

task<result<reply>> update_incident_update(call& c) {
  auto const done = co_await c.use.stores.incidents.correct_post(
      edit_by(c), c.path_id(), incident_id(c), c.path_id("updateId"), read_correction(c.body.as_object()), c.until);
  co_return corrected_reply(c, incident_id(c), done, incident_post_json);
}

task<result<reply>> list_window_updates(call& c) {
  auto const found = co_await c.use.stores.window_posts.list(c.caller.project_id, c.path_id(), c.page(), c.until);
  co_return posts_reply(c, c.path_id(), found, window_post_json);
}

task<result<reply>> create_window_update(call& c) {
  auto const made = co_await c.use.stores.window_posts.add(edit_by(c), c.caller.owner_id, c.path_id(),
                                                           read_post(c.body.as_object()), c.until);
  if (!made) co_return made.error();
  co_return created(c, post_reply(c, c.path_id(), *made, window_post_json),
                    "/api/maintenance-windows/" + c.path_id().to_string() + "/updates/" + made->id.to_string());
}

task<result<reply>> update_window_update(call& c) {
  auto const done = co_await c.use.stores.window_posts.correct(edit_by(c), c.path_id(), c.path_id("updateId"),
                                                               read_correction(c.body.as_object()), c.until);
  co_return corrected_reply(c, c.path_id(), done, window_post_json);
}

}  // namespace svc::api
