#include "api/cli_tokens/token_json.hpp"
#include "svc/access/change_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> get_cli_token(call& c) {
  auto found = co_await c.use.tokens.get({c.who.project_id}, c.path_id(), c.until);
  // What it shows, or a 404 for a tombstone, tells of changes: nobody hears of one before Redis knows.
  if (!found.touched.empty()) co_await c.use.changes.publish(std::move(found.touched));
  if (!found.outcome) co_return found.outcome.error();
  co_return reply{.body = token_json(*found.outcome), .version = found.outcome->version};
}

}  // namespace svc::api
