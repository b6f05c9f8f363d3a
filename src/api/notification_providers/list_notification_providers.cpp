#include "api/notification_providers/provider_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> list_notification_providers(call& c) {
  auto const found = co_await c.use.providers.list(c.who.project_id, c.page(), c.until);
  co_return page_reply(c, found, provider_json);
}

}  // namespace svc::api
