#include "api/call_options.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

std::optional<std::string_view> unless_empty(std::string const& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

}  // namespace

void audit_json(http::json_text& out, store::audit_row const& of) {
  audit_entry const& what = of.what;
  out.member("id", of.id)
      .member("action", what.action)
      .open("actor")
      .member("id", what.actor.user)
      .member("name", what.actor.name)
      .member_if("tokenId", what.actor.token)
      .close()
      .member("resource", what.resource)
      .member("resourceId", what.resource_id)
      .member("ip", unless_empty(what.actor.ip))
      .member("userAgent", unless_empty(what.actor.user_agent))
      .member("requestId", unless_empty(what.actor.request_id))
      .stored_member("details", what.details)
      .member("createdAt", of.created_at);
}

task<result<reply>> list_audit(call& c) {
  // The token's project only, whatever its owner's role is elsewhere.
  store::audit_filter const which{.project = c.who.project_id,
                                  .action = query_text(c, "action"),
                                  .actor = query_id(c, "actorId"),
                                  .from = query_time(c, "from"),
                                  .to = query_time(c, "to")};
  auto const found = co_await c.use.stores.audit.list(which, c.page(), c.until);
  co_return page_reply(c, found, audit_json);
}

}  // namespace svc::api
