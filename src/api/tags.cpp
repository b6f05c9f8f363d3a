#include "api/call_options.hpp"
#include "api/replies.hpp"
#include "api/tag_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {

task<result<reply>> list_tags(call& c) {
  auto const found = co_await c.use.stores.tags.list(c.who.project_id, c.page(), c.until);
  co_return page_reply(c, found, tag_json);
}

task<result<reply>> create_tag(call& c) {
  auto const made = co_await c.use.stores.tags.create(edit_by(c), read_tag(c.body.as_object()), c.until);
  if (!made) co_return made.error();
  co_return created_reply(c, tag_json(*made), made->version, "/api/tags/" + made->id.to_string());
}

task<result<reply>> update_tag(call& c) {
  auto edit = [&c](tag const& current) { return patch_tag(c.contract, current, c.body.as_object()); };
  auto const done = co_await c.use.stores.tags.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = tag_json(*done), .version = done->version};
}

task<result<reply>> delete_tag(call& c) {
  auto const done = co_await c.use.stores.tags.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
