#include "api/cli_tokens/token_access.hpp"
#include "api/cli_tokens/token_json.hpp"
#include "svc/access/change_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> update_cli_token(call& c) {
  auto edit = read_edit(c);
  if (!edit) co_return edit.error();
  auto by = editor_of(c, permission::token_update, only_disables(*edit));
  if (!by) co_return by.error();
  auto done =
      co_await c.use.tokens.update({c.who.project_id}, c.path_id(), std::move(*edit), std::move(*by), c.until);
  // Also behind a refusal and a change that was none: both may tell of somebody else's.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  reply out{.version = done.outcome->version};
  out.body = {{"success", true}, {"token", token_json(*done.outcome)}};
  co_return out;
}

}  // namespace svc::api
