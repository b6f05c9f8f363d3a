#include "api/edit_by.hpp"
#include "api/tests/test_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/test_store.hpp"

namespace svc::api {

task<result<reply>> update_test(call& c) {
  auto edit = [patch = c.body.as_object()](test_case const& current) { return patch_test(current, patch); };
  auto const done = co_await c.use.tests.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = test_json(*done, true), .version = done->version};
}

}  // namespace svc::api
