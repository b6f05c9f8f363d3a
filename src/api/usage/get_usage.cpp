#include "api/usage/usage_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> get_usage(call& c) {
  auto const used = co_await c.use.usage.read(c.who.project_id, c.until);
  co_return reply{.body = usage_json(used)};
}

}  // namespace svc::api
