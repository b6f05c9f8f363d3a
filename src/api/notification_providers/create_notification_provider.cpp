#include "api/edit_by.hpp"
#include "api/location.hpp"
#include "api/notification_providers/provider_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> create_notification_provider(call& c) {
  auto wanted = read_provider(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.providers.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created_reply(c, provider_json(*made), made->version,
                          "/api/notification-providers/" + made->id.to_string());
}

}  // namespace svc::api
