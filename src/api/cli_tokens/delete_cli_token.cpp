#include "api/cli_tokens/token_access.hpp"
#include "svc/access/change_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> delete_cli_token(call& c) {
  auto by = editor_of(c, permission::token_delete, true);
  if (!by) co_return by.error();
  auto done = co_await c.use.tokens.revoke({c.who.project_id}, c.path_id(), std::move(*by), c.until);
  // Also behind a 404: a repeated DELETE tells of the first one.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
