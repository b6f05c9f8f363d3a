#include "api/edit_by.hpp"
#include "api/tests/test_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/test_store.hpp"

namespace svc::api {

task<result<reply>> update_test(call& c) {
  auto& body = c.body.as_object();
  if (auto ok = check_script(body); !ok) co_return ok.error();
  auto script = co_await take_script(body);
  auto edit = [patch = std::move(body)](test_case const& current) { return patch_test(current, patch); };
  auto done = co_await c.use.tests.update(edit_by(c), c.path_id(), std::move(edit), std::move(script), c.until);
  if (!done) co_return done.error();
  reply out{.version = done->version};
  out.text = co_await test_text(std::move(*done));
  co_return out;
}

}  // namespace svc::api
