#include "api/cli_tokens/token_access.hpp"
#include "api/cli_tokens/token_json.hpp"
#include "api/location.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/auth/change_publisher.hpp"

namespace svc::api {

task<result<reply>> create_cli_token(call& c) {
  auto asked = read_new_token(c, token_kind::cli, {c.who.project_id});
  if (!asked) co_return asked.error();
  sha256_digest const digest = asked->what.digest;
  auto made = co_await c.use.tokens.create(std::move(asked->what), c.actor(), c.until);
  if (!made.outcome) co_return made.outcome.error();
  co_await c.use.changes.announce({digest}, c.until);

  store::stored_token const& token = *made.outcome;
  boost::json::object body = token_json(token);
  body["key"] = asked->secret.reveal();
  reply out{.status = 201, .version = token.version, .secret = true};
  out.body = {{"success", true}, {"token", std::move(body)}};
  out.fields.emplace_back("Location", location_of(c.use.public_url, "/api/cli-tokens/" + token.id.to_string()));
  co_return out;
}

}  // namespace svc::api
