#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {

void tag_json(http::json_text& out, tag const& tag) {
  out.member("id", tag.id)
      .member("name", tag.set.name)
      .member("color", tag.set.color)
      .member("createdAt", tag.created_at)
      .member("updatedAt", tag.updated_at);
}

tag_settings read_tag(boost::json::object const& body) {
  tag_settings out{.name = std::string(body.at("name").as_string())};
  out.color = text_in(body, "color").value_or(out.color);
  return out;
}

result<tag_settings> patch_tag(http::body_validator& contract, tag const& current, boost::json::object const& patch) {
  auto const merged =
      patched(contract, "CreateTag", {{"name", current.set.name}, {"color", current.set.color}}, patch);
  if (!merged) return merged.error();
  return read_tag(*merged);
}

task<result<reply>> list_tags(call& c) {
  auto const found = co_await c.use.stores.tags.list(c.caller.project_id, c.page(), c.until);
  co_return page_reply(c, found, tag_json);
}

task<result<reply>> create_tag(call& c) {
  auto const made = co_await c.use.stores.tags.create(edit_by(c), read_tag(c.body.as_object()), c.until);
  if (!made) co_return made.error();
  co_return created(c, shown_reply(c, *made, tag_json), "/api/tags/" + made->id.to_string());
}

task<result<reply>> get_tag(call& c) {
  auto const found = co_await c.use.stores.tags.get(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return shown_reply(c, *found, tag_json);
}

task<result<reply>> update_tag(call& c) {
  auto edit = [&c](tag const& current) { return patch_tag(c.contract, current, c.body.as_object()); };
  auto const done = co_await c.use.stores.tags.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return shown_reply(c, *done, tag_json);
}

task<result<reply>> delete_tag(call& c) {
  auto const done = co_await c.use.stores.tags.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
