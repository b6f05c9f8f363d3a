#include "api/edit_by.hpp"
#include "api/location.hpp"
#include "api/variables/variable_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> create_variable(call& c) {
  auto wanted = read_variable(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.variables.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created_reply(c, variable_json(*made), made->version, "/api/variables/" + made->id.to_string());
}

}  // namespace svc::api
