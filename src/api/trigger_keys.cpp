#include "api/replies.hpp"
#include "api/resources.hpp"
#include "api/token_changes.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

/// Returns `allowedCidrs` of the body; `std::nullopt` allows every address.
std::optional<std::vector<std::string>> read_cidrs(call const& c) {
  auto const* cidrs = c.member("allowedCidrs");
  if (cidrs == nullptr || cidrs->is_null()) return std::nullopt;
  std::vector<std::string> out;
  for (auto const& value : cidrs->get_array()) out.emplace_back(value.get_string());
  return out;
}

std::optional<window_limit> read_rate(call const& c) {
  auto const* rate = c.member("rateLimit");
  if (rate == nullptr || rate->is_null()) return std::nullopt;
  return window_limit{rate->at("limit").to_number<std::uint32_t>(),
                      rate->at("windowSeconds").to_number<std::uint32_t>()};
}

std::optional<std::uint32_t> number(boost::json::object const& object, std::string_view name) {
  auto const* value = object.if_contains(name);
  if (value == nullptr) return std::nullopt;
  return value->to_number<std::uint32_t>();
}

/// A merge patch: null restores the default, a number left out stays.
std::optional<store::rate_edit> read_rate_edit(call const& c) {
  auto const* rate = c.member("rateLimit");
  if (rate == nullptr) return std::nullopt;
  if (rate->is_null()) return store::rate_edit{.reset = true, .base = c.use.limits.trigger_default};
  boost::json::object const& patch = rate->get_object();
  return store::rate_edit{.limit = number(patch, "limit"),
                          .seconds = number(patch, "windowSeconds"),
                          .base = c.use.limits.trigger_default,
                          .most_a_minute = c.use.limits.trigger_most};
}

}  // namespace

void trigger_key_json(http::json_text& out, store::stored_token const& key) {
  token_json(out, key);
  out.member("jobId", key.job.value());
  if (key.rate) {
    out.open("rateLimit").member("limit", key.rate->limit).member("windowSeconds", key.rate->seconds).close();
  } else {
    out.member("rateLimit", nullptr);
  }
  if (!key.allowed_cidrs) {
    out.member("allowedCidrs", nullptr);
    return;
  }
  out.open_list("allowedCidrs");
  for (auto const& text : *key.allowed_cidrs) out.element(text);
  out.close_list();
}

task<result<reply>> create_trigger_key(call& c) {
  uuid const job = c.path_id();
  auto asked = read_new_token(c, token_kind::trigger, {c.caller.project_id, job});
  if (!asked) co_return asked.error();
  asked->token.rate = read_rate(c);
  if (asked->token.rate) {
    auto const ok = check_key_limit(*asked->token.rate, c.use.limits.trigger_most);
    if (!ok) co_return ok.error();
  }
  asked->token.allowed_cidrs = read_cidrs(c);
  auto const made = co_await create_token(c, std::move(*asked));
  if (!made) co_return made.error();
  reply out = keyed_reply(c, *made, "triggerKey", trigger_key_json);
  out.fields.emplace_back(
      "Location",
      location_of(c.use.public_url, "/api/jobs/" + job.to_string() + "/trigger-keys/" + made->token.id.to_string()));
  co_return out;
}

task<result<reply>> list_trigger_keys(call& c) {
  store::token_scope const scope{c.caller.project_id, c.path_id()};
  auto const found = co_await c.use.stores.tokens.list(scope, c.page(), c.until);
  if (!found) co_return found.error();
  // No client learns of a change before Redis knows it.
  co_await c.use.changes.publish(co_await c.use.stores.tokens.epochs_of(scope, c.until));
  co_return page_reply(c, *found, trigger_key_json);
}

task<result<reply>> update_trigger_key(call& c) {
  auto edit = read_edit(c);
  if (!edit) co_return edit.error();
  edit->rate = read_rate_edit(c);
  if (c.member("allowedCidrs") != nullptr) edit->cidrs = store::cidrs_edit{read_cidrs(c)};
  auto editor = editor_of(c, permission::token_update, only_disables(*edit));
  if (!editor) co_return editor.error();
  auto done = co_await c.use.stores.tokens.update({c.caller.project_id, c.path_id()}, c.path_id("keyId"),
                                                  std::move(*edit), std::move(*editor), c.until);
  // This applies also after a refusal or an edit that changes nothing, because both may reveal somebody else's
  // change.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return changed_reply(c, *done.outcome, "triggerKey", trigger_key_json);
}

task<result<reply>> delete_trigger_key(call& c) {
  auto editor = editor_of(c, permission::token_delete, true);
  if (!editor) co_return editor.error();
  auto done = co_await c.use.stores.tokens.revoke({c.caller.project_id, c.path_id()}, c.path_id("keyId"),
                                                  std::move(*editor), c.until);
  // Also after a 404: a repeated DELETE reveals the first one.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return reply{.status = 204};
}

task<result<reply>> rotate_trigger_key(call& c) {
  auto const made = co_await rotate_token(c, {c.caller.project_id, c.path_id()}, c.path_id("keyId"));
  if (!made) co_return made.error();
  co_return keyed_reply(c, *made, "triggerKey", trigger_key_json);
}

}  // namespace svc::api
