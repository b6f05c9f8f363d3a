#include "api/audit/audit_json.hpp"
#include "api/edit_by.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

task<result<reply>> list_audit(call& c) {
  // The token's project only, whatever its owner's role is elsewhere.
  store::audit_filter const which{.project = c.who.project_id,
                                  .action = query_text(c, "action"),
                                  .actor = query_id(c, "actorId"),
                                  .from = query_time(c, "from"),
                                  .to = query_time(c, "to")};
  auto const found = co_await c.use.audit.list(which, c.page(), c.until);
  co_return page_reply(c, found, audit_json);
}

}  // namespace svc::api
