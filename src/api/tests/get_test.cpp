#include "api/tests/test_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/test_store.hpp"

namespace svc::api {

task<result<reply>> get_test(call& c) {
  bool const with_script = c.query_value("includeScript") == "true";
  auto found = co_await c.use.tests.get(c.who.project_id, c.path_id(), with_script, c.until);
  if (!found) co_return found.error();
  reply out{.version = found->version};
  if (with_script) {
    out.text = co_await test_text(std::move(*found));
  } else {
    out.body = test_json(*found);
  }
  co_return out;
}

}  // namespace svc::api
