#include "api/variables/variable_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> list_variables(call& c) {
  auto const found = co_await c.use.variables.list(c.who.project_id, c.page(), c.until);
  boost::json::array rows;
  for (variable const& one : found.rows) rows.push_back(variable_json(one));
  co_return page_reply(c, std::move(rows), found);
}

}  // namespace svc::api
