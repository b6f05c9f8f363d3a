#include "api/edit_by.hpp"
#include "api/tests/test_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/test_store.hpp"

namespace svc::api {

task<result<reply>> put_test_tags(call& c) {
  auto wanted = read_test_tags(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const done = co_await c.use.tests.set_tags(edit_by(c), c.path_id(), std::move(*wanted), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = test_tags_json(*done), .version = done->version};
}

}  // namespace svc::api
