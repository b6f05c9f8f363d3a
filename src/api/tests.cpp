#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/conditional_request.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "api/script_text.hpp"
#include "api/triggering.hpp"
#include "svc/api/exchange.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/response_account.hpp"
#include "svc/api/services.hpp"
#include "svc/core/result.hpp"
#include "svc/core/shared_texts.hpp"
#include "svc/core/turns.hpp"
#include "svc/http/headers.hpp"
#include "svc/http/json.hpp"
#include "svc/store/repositories.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace svc::api {

namespace {

// Scripts are large: they are copied and written over several turns of the event loop.

/// Takes the next piece off the front; it ends between two characters.
std::string_view next_piece(std::string_view& rest) {
  auto size = std::min(rest.size(), piece_of_turn);
  while (size > 0 && size < rest.size() && (static_cast<unsigned char>(rest[size]) & 0xC0U) == 0x80U) --size;
  auto const piece = rest.substr(0, size);
  rest.remove_prefix(size);
  return piece;
}

}  // namespace

void test_json(http::json_text& out, test_case const& test) {
  out.member("id", test.id)
      .member("title", test.set.title)
      .member("description", test.set.description)
      .member("type", test.set.type)
      .member("priority", test.set.priority)
      .stored_member("tags", test.tags)
      .member("createdAt", test.created_at)
      .member("updatedAt", test.updated_at);
}

result<test_settings> read_test(boost::json::object const& body, test_settings const* before) {
  test_settings out{.title = std::string(body.at("title").as_string()), .description = text_in(body, "description")};
  out.type = text_in(body, "type").value_or(out.type);
  out.priority = text_in(body, "priority").value_or(out.priority);
  std::vector<field_error> wrong;
  find_hidden("/title", out.title, before == nullptr ? nullptr : &before->title, wrong);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<test_settings> patch_test(http::body_validator& contract, test_case const& current,
                                 boost::json::object const& patch) {
  auto const merged = patched(contract, "CreateTest",
                              {{"title", current.set.title},
                               {"description", boost::json::value_from(current.set.description)},
                               {"type", current.set.type},
                               {"priority", current.set.priority}},
                              patch);
  if (!merged) return merged.error();
  return read_test(*merged, &current.set);
}

void test_tags_json(http::json_text& out, test_case const& test) {
  out.stored_member("tags", test.tags);
}

result<std::vector<uuid>> read_tag_ids(boost::json::object const& body) {
  auto out = ids_in(body, "tags");
  std::vector<field_error> wrong;
  find_repeats(out, "/tags/", "/id", wrong);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

task<std::string> test_text(test_case test) {
  std::vector<std::string> script;
  script.push_back(std::move(test.set.script));
  co_return co_await test_text(std::move(test), std::move(script));
}

task<std::string> test_text(test_case test, std::vector<std::string> script) {
  std::size_t bytes = 0;
  for (auto const& piece : script) bytes += piece.size();
  bool const large = bytes > piece_of_turn;
  std::string out = http::written(test_json, test);
  out.back() = ',';
  out += "\"script\":\"";
  // Measured first, because growing the text would copy all that is written.
  auto size = out.size() + 2;
  for (std::string_view rest : script) {
    while (!rest.empty()) {
      size += http::json_text_size(next_piece(rest));
      if (large) co_await others_turn();
    }
  }
  out.reserve(size);
  for (auto& piece : script) {
    for (std::string_view rest = piece; !rest.empty();) {
      http::append_json_text(out, next_piece(rest));
      if (large) co_await others_turn();
    }
    // A large script and its text are not in memory twice.
    piece = std::string();
  }
  out += "\"}";
  co_return out;
}

task<std::optional<std::string>> take_script(boost::json::object& body) {
  auto* const given = body.if_contains("script");
  if (given == nullptr) co_return std::nullopt;
  auto const script = std::make_shared<boost::json::value>(std::move(*given));
  body.erase("script");
  if (script->get_string().size() > piece_of_turn) co_await others_turn();
  co_return co_await copy_in_turns(script, script->get_string());
}

namespace {

/// The test with its script. The version represents the script in the tag, because each change of the script changes
/// the version.
task<reply> scripted_reply(call& c, test_case test) {
  auto out = shown_reply(c, test, test_json);
  out.unchanged = test.set.script.size() >= least_encoded && not_modified(c.request, out.etag);
  out.text.clear();
  if (!out.unchanged) out.text = co_await test_text(std::move(test));
  co_return out;
}

/// The test with its script, whatever the script's size.
task<result<reply>> test_with_script(call& c) {
  auto found = co_await c.use.stores.tests.get_small(c.caller.project_id, c.path_id(), most_unshared_script, c.until);
  if (!found) co_return found.error();
  if (found->script_size <= most_unshared_script) co_return co_await scripted_reply(c, std::move(*found));
  auto out = shown_reply(c, *found, test_json);
  out.text.clear();
  out.unchanged = not_modified(c.request, out.etag);
  if (out.unchanged) co_return out;
  bool const gzip = http::prefers_gzip(c.request);
  auto const key = found->id.to_string() + out.etag + (gzip ? "gzip" : "");
  script_source const source{.tests = c.use.stores.tests,
                             .responses = c.use.responses,
                             .reader = response_owner(&c.caller),
                             .project = c.caller.project_id,
                             .test = found->id,
                             .size = found->script_size,
                             .gzip = gzip};
  auto const made = co_await c.use.scripts.find(
      key, [source, until = c.until] { return make_script_text(source, until); }, c.until);
  if (!made) co_return made.error();
  if (!*made) co_return errc::not_found;
  // The test may have changed since its row was read.
  out.etag = (*made)->etag;
  (gzip ? out.document_gzip : out.document) = bytes_of(*made);
  co_return out;
}

/// Charges the answer to a change of a test before the change is made: the script and the text that holds it.
bool hold_script(account_share& held, std::size_t size) {
  return size < least_charged || held.hold(2 * size);
}

/// Charges the rest of the text that is still in memory when the answer is written.
void settle_script(std::shared_ptr<account_share> const& held, reply& out) {
  held->hold(std::min(held->held(), out.text.size()));
  out.held = held;
}

}  // namespace

task<result<reply>> list_tests(call& c) {
  store::test_filter filter{
      .search = query_text(c, "search"), .type = query_text(c, "type"), .tag = query_id(c, "tagId")};
  auto const found = co_await c.use.stores.tests.list(c.caller.project_id, std::move(filter), c.page(), c.until);
  co_return page_reply(c, found, test_json);
}

task<result<reply>> create_test(call& c) {
  auto wanted = read_test(c.body.as_object());
  if (!wanted) co_return wanted.error();
  wanted->script = (co_await take_script(c.body.as_object())).value_or("");
  auto const held = new_share(c.use.responses, c.caller);
  if (!hold_script(*held, wanted->script.size())) co_return no_response_room();
  auto made = co_await c.use.stores.tests.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  auto const path = "/api/tests/" + made->id.to_string();
  auto out = created(c, co_await scripted_reply(c, std::move(*made)), path);
  settle_script(held, out);
  co_return out;
}

task<result<reply>> get_test(call& c) {
  if (c.query_value("includeScript") == "true") co_return co_await test_with_script(c);
  auto found = co_await c.use.stores.tests.get(c.caller.project_id, c.path_id(), false, c.until);
  if (!found) co_return found.error();
  co_return shown_reply(c, *found, test_json);
}

task<result<reply>> update_test(call& c) {
  auto script = co_await take_script(c.body.as_object());
  auto const held = new_share(c.use.responses, c.caller);
  auto edit = [&c, held, given = script ? script->size() : 0](test_case const& current) -> result<test_settings> {
    auto const size = given > 0 ? given : static_cast<std::size_t>(current.script_size);
    if (!hold_script(*held, size)) return no_response_room();
    return patch_test(c.contract, current, c.body.as_object());
  };
  auto done =
      co_await c.use.stores.tests.update(edit_by(c), c.path_id(), std::move(edit), std::move(script), c.until);
  if (!done) co_return done.error();
  auto out = co_await scripted_reply(c, std::move(*done));
  settle_script(held, out);
  co_return out;
}

task<result<reply>> delete_test(call& c) {
  auto const done = co_await c.use.stores.tests.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

task<result<reply>> get_test_tags(call& c) {
  auto const found = co_await c.use.stores.tests.get(c.caller.project_id, c.path_id(), false, c.until);
  if (!found) co_return found.error();
  co_return shown_reply(c, *found, test_tags_json);
}

task<result<reply>> put_test_tags(call& c) {
  auto wanted = read_tag_ids(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const done = co_await c.use.stores.tests.set_tags(edit_by(c), c.path_id(), std::move(*wanted), c.until);
  if (!done) co_return done.error();
  co_return shown_reply(c, *done, test_tags_json);
}

task<result<reply>> execute_test(call& c) {
  auto key = read_idempotency_key(c.request);
  if (!key) co_return key.error();
  store::test_execution wanted{.test = c.path_id(),
                               .triggered_by = c.caller.token_name,
                               .idempotency_key = std::move(*key),
                               .trace_parent = trace_parent_for_run(c.request)};
  if (!wanted.idempotency_key.empty()) wanted.request_hash = request_hash(nullptr);
  auto const made = co_await c.use.stores.runs.execute(edit_by(c), std::move(wanted), c.until);
  if (!made) co_return made.error();
  co_return queued_run(c, made->made, made->replayed);
}

}  // namespace svc::api
