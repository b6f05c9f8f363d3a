#include "api/variables/variable_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> list_variables(call& c) {
  auto const found = co_await c.use.variables.list(c.who.project_id, c.page(), c.until);
  co_return page_reply(c, found, variable_json);
}

}  // namespace svc::api
