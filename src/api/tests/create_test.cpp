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
  wanted->script = (co_await take_script(c.body.as_object())).value_or("");
  auto made = co_await c.use.tests.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  auto out = created_reply(c, nullptr, made->version, "/api/tests/" + made->id.to_string());
  out.text = co_await test_text(std::move(*made));
  co_return out;
}

}  // namespace svc::api
