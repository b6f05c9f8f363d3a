#include "api/cli_tokens/token_json.hpp"
#include "svc/access/change_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/token_store.hpp"

namespace svc::api {

task<result<reply>> list_cli_tokens(call& c) {
  store::token_scope const scope{c.who.project_id};
  auto const found = co_await c.use.tokens.list(scope, c.page(), c.until);
  if (!found) co_return found.error();
  // Nobody hears of a change before Redis knows.
  co_await c.use.changes.publish(co_await c.use.tokens.epochs_of(scope, c.until));
  co_return page_reply(c, *found, token_json);
}

}  // namespace svc::api
