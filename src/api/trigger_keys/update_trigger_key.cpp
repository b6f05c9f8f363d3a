#include "api/cli_tokens/token_access.hpp"
#include "api/trigger_keys/trigger_key_json.hpp"
#include "svc/access/change_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

namespace {

std::optional<std::uint32_t> number(boost::json::object const& from, std::string_view name) {
  auto const* value = from.if_contains(name);
  if (value == nullptr) return std::nullopt;
  return value->to_number<std::uint32_t>();
}

/// A merge patch: null goes back to the default, a number left out stays.
std::optional<store::rate_edit> read_rate_edit(call const& c) {
  auto const* rate = c.member("rateLimit");
  if (rate == nullptr) return std::nullopt;
  if (rate->is_null()) return store::rate_edit{.reset = true};
  boost::json::object const& patch = rate->get_object();
  return store::rate_edit{.limit = number(patch, "limit"),
                          .seconds = number(patch, "windowSeconds"),
                          .base = c.use.limits.trigger_default};
}

}  // namespace

task<result<reply>> update_trigger_key(call& c) {
  auto edit = read_edit(c);
  if (!edit) co_return edit.error();
  edit->rate = read_rate_edit(c);
  if (c.member("allowedCidrs") != nullptr) edit->cidrs = store::cidrs_edit{read_cidrs(c)};
  auto by = editor_of(c, permission::token_update, only_disables(*edit));
  if (!by) co_return by.error();
  auto done = co_await c.use.tokens.update({c.who.project_id, c.path_id()}, c.path_id("keyId"), std::move(*edit),
                                           std::move(*by), c.until);
  // Also behind a refusal and a change that was none: both may tell of somebody else's.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  reply out{.version = done.outcome->version};
  out.body = {{"success", true}, {"triggerKey", trigger_key_json(*done.outcome)}};
  co_return out;
}

}  // namespace svc::api
