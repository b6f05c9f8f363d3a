#include "api/trigger_keys/trigger_key_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> list_trigger_keys(call& c) {
  auto const found = co_await c.use.tokens.list({c.who.project_id, c.path_id()}, c.page(), c.until);
  if (!found) co_return found.error();
  co_return page_reply(c, *found, trigger_key_json);
}

}  // namespace svc::api
