#include "api/cli_tokens/rotate_token.hpp"
#include "api/trigger_keys/trigger_key_json.hpp"
#include "svc/api/handlers.hpp"

namespace svc::api {

task<result<reply>> rotate_trigger_key(call& c) {
  auto const made = co_await rotate_token(c, {c.who.project_id, c.path_id()}, c.path_id("keyId"));
  if (!made) co_return made.error();
  co_return keyed_reply(*made, "triggerKey", trigger_key_json(made->token));
}

}  // namespace svc::api
