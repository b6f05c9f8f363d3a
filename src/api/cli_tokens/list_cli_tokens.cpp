#include "api/cli_tokens/token_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> list_cli_tokens(call& c) {
  auto const found = co_await c.use.tokens.list({c.who.project_id}, c.page(), c.until);
  if (!found) co_return found.error();
  co_return page_reply(c, *found, token_json);
}

}  // namespace svc::api
