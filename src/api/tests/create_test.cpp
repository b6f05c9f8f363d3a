#include "api/edit_by.hpp"
#include "api/location.hpp"
#include "api/tests/test_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/test_store.hpp"

namespace svc::api {

task<result<reply>> create_test(call& c) {
  auto wanted = read_test(c.body.as_object());
  if (!wanted) co_return wanted.error();
  c.body = nullptr;  // it may be large, and what it said is in `wanted`
  auto const made = co_await c.use.tests.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created_reply(c, test_json(*made, true), made->version, "/api/tests/" + made->id.to_string());
}

}  // namespace svc::api
