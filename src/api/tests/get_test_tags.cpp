#include "api/tests/test_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/test_store.hpp"

namespace svc::api {

task<result<reply>> get_test_tags(call& c) {
  auto const found = co_await c.use.tests.get(c.who.project_id, c.path_id(), false, c.until);
  if (!found) co_return found.error();
  co_return reply{.body = test_tags_json(*found), .version = found->version};
}

}  // namespace svc::api
