#include "api/call_options.hpp"
#include "api/replies.hpp"
#include "api/test_json.hpp"
#include "api/triggering.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {

task<result<reply>> list_tests(call& c) {
  auto const found = co_await c.use.stores.tests.list(c.who.project_id, query_text(c, "search"), c.page(), c.until);
  co_return page_reply(c, found, [](test_case const& one) { return test_json(one); });
}

task<result<reply>> create_test(call& c) {
  auto wanted = read_test(c.body.as_object());
  wanted.script = (co_await take_script(c.body.as_object())).value_or("");
  auto made = co_await c.use.stores.tests.create(edit_by(c), std::move(wanted), c.until);
  if (!made) co_return made.error();
  auto out = created_reply(c, nullptr, made->version, "/api/tests/" + made->id.to_string());
  out.text = co_await test_text(std::move(*made));
  co_return out;
}

task<result<reply>> get_test(call& c) {
  bool const with_script = c.query_value("includeScript") == "true";
  auto found = co_await c.use.stores.tests.get(c.who.project_id, c.path_id(), with_script, c.until);
  if (!found) co_return found.error();
  reply out{.version = found->version};
  if (with_script) {
    out.text = co_await test_text(std::move(*found));
  } else {
    out.body = test_json(*found);
  }
  co_return out;
}

task<result<reply>> update_test(call& c) {
  auto script = co_await take_script(c.body.as_object());
  auto edit = [&c](test_case const& current) { return patch_test(c.contract, current, c.body.as_object()); };
  auto done =
      co_await c.use.stores.tests.update(edit_by(c), c.path_id(), std::move(edit), std::move(script), c.until);
  if (!done) co_return done.error();
  reply out{.version = done->version};
  out.text = co_await test_text(std::move(*done));
  co_return out;
}

task<result<reply>> delete_test(call& c) {
  auto const done = co_await c.use.stores.tests.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

task<result<reply>> get_test_tags(call& c) {
  auto const found = co_await c.use.stores.tests.get(c.who.project_id, c.path_id(), false, c.until);
  if (!found) co_return found.error();
  co_return reply{.body = test_tags_json(*found), .version = found->version};
}

task<result<reply>> put_test_tags(call& c) {
  auto wanted = read_test_tags(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const done = co_await c.use.stores.tests.set_tags(edit_by(c), c.path_id(), std::move(*wanted), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = test_tags_json(*done), .version = done->version};
}

task<result<reply>> execute_test(call& c) {
  auto key = read_idempotency_key(c.request);
  if (!key) co_return key.error();
  store::test_execution wanted{
      .test = c.path_id(), .triggered_by = c.who.token_name, .idempotency_key = std::move(*key)};
  if (!wanted.idempotency_key.empty()) wanted.request_hash = request_hash(nullptr);
  auto const made = co_await c.use.stores.runs.execute(edit_by(c), std::move(wanted), c.until);
  if (!made) co_return made.error();
  co_return queued_run(c, made->made, made->replayed);
}

}  // namespace svc::api
