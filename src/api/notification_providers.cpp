#include "api/call_options.hpp"
#include "api/provider_json.hpp"
#include "api/replies.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {

task<result<reply>> list_notification_providers(call& c) {
  auto const found = co_await c.use.stores.providers.list(c.who.project_id, c.page(), c.until);
  co_return page_reply(c, found, provider_json);
}

task<result<reply>> create_notification_provider(call& c) {
  auto wanted = read_provider(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.stores.providers.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created_reply(c, provider_json(*made), made->version,
                          "/api/notification-providers/" + made->id.to_string());
}

task<result<reply>> get_notification_provider(call& c) {
  auto const found = co_await c.use.stores.providers.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return reply{.body = provider_json(*found), .version = found->version};
}

task<result<reply>> update_notification_provider(call& c) {
  auto edit = [&c](notification_provider const& now) { return patch_provider(c.contract, now, c.body.as_object()); };
  auto const done = co_await c.use.stores.providers.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = provider_json(*done), .version = done->version};
}

task<result<reply>> delete_notification_provider(call& c) {
  auto const done = co_await c.use.stores.providers.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
