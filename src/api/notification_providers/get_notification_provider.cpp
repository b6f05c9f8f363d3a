#include "api/notification_providers/provider_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> get_notification_provider(call& c) {
  auto const found = co_await c.use.providers.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return reply{.body = provider_json(*found), .version = found->version};
}

}  // namespace svc::api
