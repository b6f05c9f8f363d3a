#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/http/json_text.hpp"

namespace svc::api {

/// All of it stands in the proven record: no SQL.
task<result<reply>> whoami(call& c) {
  principal const& who = c.who;
  auto const& cli = c.use.limits.cli;
  http::json_text out;
  out.member("id", who.token_id.to_string())
      .member("kind", to_string(who.kind))
      .member("name", who.token_name)
      .open("project")
      .member("id", who.project_id.to_string())
      .member("slug", who.project_slug)
      .close()
      .open("organization")
      .member("id", who.organization_id.to_string())
      .member("slug", who.organization_slug)
      .close()
      .open("user")
      .member("id", who.owner_id.to_string())
      .member("name", who.owner_name)
      .close()
      .member("role", to_string(who.owner_role));
  if (who.expires_at) out.member("expiresAt", to_rfc3339(*who.expires_at));
  out.open("limits").member("limit", cli.limit).member("windowSeconds", cli.seconds).close();
  co_return reply{.text = out.take()};
}

}  // namespace svc::api
