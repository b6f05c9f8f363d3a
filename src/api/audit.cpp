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

void audit_json(http::json_text& out, store::audit_row const& row) {
  audit_entry const& entry = row.entry;
  out.member("id", row.id)
      .member("action", entry.action)
      .open("actor")
      .member("id", entry.actor.user)
      .member("name", entry.actor.name)
      .member_if("tokenId", entry.actor.token)
      .member_if("sessionId", entry.actor.session)
      .close()
      .member("resource", entry.resource)
      .member("resourceId", entry.resource_id)
      .member("ip", unless_empty(entry.actor.ip))
      .member("userAgent", unless_empty(entry.actor.user_agent))
      .member("requestId", unless_empty(entry.actor.request_id))
      .stored_member("details", entry.details)
      .member("createdAt", row.created_at);
}

store::audit_filter audit_filter_of(call const& c) {
  return {.action = query_text(c, "action"),
          .actor = query_id(c, "actorId"),
          .start = query_time(c, "from"),
          .end = query_time(c, "to")};
}

task<result<reply>> list_audit(call& c) {
  auto which = audit_filter_of(c);
  // The token's project only, whatever its owner's role is elsewhere.
  which.project = c.caller.project_id;
  auto const found = co_await c.use.stores.audit.list(std::move(which), c.page(), c.until);
  co_return page_reply(c, found, audit_json);
}

}  // namespace svc::api
