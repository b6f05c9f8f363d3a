#include "api/cli_tokens/token_access.hpp"
#include "api/cli_tokens/token_json.hpp"
#include "api/location.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> create_cli_token(call& c) {
  auto asked = read_new_token(c, token_kind::cli, {c.who.project_id});
  if (!asked) co_return asked.error();
  auto const made = co_await create_token(c, std::move(*asked));
  if (!made) co_return made.error();
  reply out = keyed_reply(*made, "token", token_json(made->token));
  out.fields.emplace_back("Location", location_of(c.use.public_url, "/api/cli-tokens/" + made->token.id.to_string()));
  co_return out;
}

}  // namespace svc::api
