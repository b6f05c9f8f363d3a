#include "api/edit_by.hpp"
#include "api/notification_providers/provider_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> update_notification_provider(call& c) {
  auto edit = [patch = c.body.as_object()](notification_provider const& now) { return patch_provider(now, patch); };
  auto const done = co_await c.use.providers.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = provider_json(*done), .version = done->version};
}

}  // namespace svc::api
