#include "api/cli_tokens/token_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> list_cli_tokens(call& c) {
  auto const found = co_await c.use.tokens.list({c.who.project_id}, c.page(), c.until);
  if (!found) co_return found.error();
  boost::json::array rows;
  for (store::stored_token const& token : found->rows) rows.push_back(token_json(token));
  co_return page_reply(c, std::move(rows), *found);
}

}  // namespace svc::api
