#include "api/cli_tokens/rotate_token.hpp"
#include "api/cli_tokens/token_json.hpp"
#include "svc/api/handlers.hpp"

namespace svc::api {

task<result<reply>> rotate_cli_token(call& c) {
  auto const made = co_await rotate_token(c, {c.who.project_id}, c.path_id());
  if (!made) co_return made.error();
  co_return keyed_reply(*made, "token", token_json(made->token));
}

}  // namespace svc::api
