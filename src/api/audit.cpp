#include "api/call_options.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

boost::json::value or_null_if_empty(std::string const& text) {
  return text.empty() ? boost::json::value() : boost::json::value(text);
}

}  // namespace

boost::json::object audit_json(store::audit_row const& of) {
  audit_entry const& what = of.what;
  boost::json::object actor{{"id", or_null(what.actor.user)}, {"name", what.actor.name}};
  if (what.actor.token) actor["tokenId"] = what.actor.token->to_string();
  return {{"id", of.id.to_string()},
          {"action", what.action},
          {"actor", std::move(actor)},
          {"resource", what.resource},
          {"resourceId", or_null(what.resource_id)},
          {"ip", or_null_if_empty(what.actor.ip)},
          {"userAgent", or_null_if_empty(what.actor.user_agent)},
          {"requestId", or_null_if_empty(what.actor.request_id)},
          {"details", boost::json::parse(what.details)},
          {"createdAt", to_rfc3339(of.created_at)}};
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
