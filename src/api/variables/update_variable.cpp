#include "api/edit_by.hpp"
#include "api/variables/variable_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> update_variable(call& c) {
  auto edit = [patch = c.body.as_object()](variable const& current) { return patch_variable(current, patch); };
  auto const done = co_await c.use.variables.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = variable_json(*done), .version = done->version};
}

}  // namespace svc::api
