#include "api/cli_tokens/token_access.hpp"
#include "api/location.hpp"
#include "api/trigger_keys/trigger_key_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

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
  auto const made = co_await create_token(c, std::move(*asked));
  if (!made) co_return made.error();
  reply out = keyed_reply(*made, "triggerKey", trigger_key_json(made->token));
  out.fields.emplace_back(
      "Location",
      location_of(c.use.public_url, "/api/jobs/" + job.to_string() + "/trigger-keys/" + made->token.id.to_string()));
  co_return out;
}

}  // namespace svc::api
