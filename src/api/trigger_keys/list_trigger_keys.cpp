#include "api/trigger_keys/trigger_key_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> list_trigger_keys(call& c) {
  auto const found = co_await c.use.tokens.list({c.who.project_id, c.path_id()}, c.page(), c.until);
  if (!found) co_return found.error();
  boost::json::array rows;
  for (store::stored_token const& key : found->rows) rows.push_back(trigger_key_json(key));
  co_return page_reply(c, std::move(rows), *found);
}

}  // namespace svc::api
