#include "api/edit_by.hpp"
#include "api/tests/test_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/test_store.hpp"

namespace svc::api {

task<result<reply>> list_tests(call& c) {
  auto const found = co_await c.use.tests.list(c.who.project_id, query_text(c, "search"), c.page(), c.until);
  co_return page_reply(c, found, [](test_case const& one) { return test_json(one); });
}

}  // namespace svc::api
