#include "api/cli_tokens/token_access.hpp"
#include "api/location.hpp"
#include "api/trigger_keys/trigger_key_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/auth/change_publisher.hpp"

namespace svc::api {

namespace {

std::optional<window_limit> read_rate(call const& c) {
  auto const* rate = c.member("rateLimit");
  if (rate == nullptr || rate->is_null()) return std::nullopt;
  return window_limit{rate->at("limit").to_number<std::uint32_t>(),
                      rate->at("windowSeconds").to_number<std::uint32_t>()};
}

}  // namespace

task<result<reply>> create_trigger_key(call& c) {
  uuid const job = c.path_id();
  auto asked = read_new_token(c, token_kind::trigger, {c.who.project_id, job});
  if (!asked) co_return asked.error();
  asked->what.rate = read_rate(c);
  asked->what.allowed_cidrs = read_cidrs(c);
  sha256_digest const digest = asked->what.digest;
  auto made = co_await c.use.tokens.create(std::move(asked->what), c.actor(), c.until);
  if (!made.outcome) co_return made.outcome.error();
  co_await c.use.changes.announce({digest}, c.until);

  store::stored_token const& key = *made.outcome;
  boost::json::object body = trigger_key_json(key);
  body["key"] = asked->secret.reveal();
  reply out{.status = 201, .version = key.version, .secret = true};
  out.body = {{"success", true}, {"triggerKey", std::move(body)}};
  out.fields.emplace_back("Location", location_of(c.use.public_url, "/api/jobs/" + job.to_string() +
                                                                        "/trigger-keys/" + key.id.to_string()));
  co_return out;
}

}  // namespace svc::api
