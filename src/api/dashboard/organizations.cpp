#include "api/call_options.hpp"
#include "api/resources.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/domain/display_text.hpp"
#include "svc/domain/session.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_organization_name = 255;

reply organization_reply(call const& c, store::shown_organization const& shown) {
  return shown_reply(c, shown.version, [&](http::json_text& out) {
    out.member("id", shown.id)
        .member("slug", shown.slug)
        .member("name", shown.name)
        .member("role", to_string(c.caller.session->in_organization))
        .stored_member("signInPolicy", shown.policy)
        .member("createdAt", shown.created_at);
  });
}

/// Publishes the change's epochs and answers with the organisation as it is now.
task<result<reply>> changed_organization(call& c, store::change<store::shown_organization> done) {
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return organization_reply(c, *done.outcome);
}

store::sign_in_policy policy_in(call const& c) {
  store::sign_in_policy out{.only_oidc = c.member("signIn")->as_string() == "oidc"};
  if (auto const* providers = c.member("providers"))
    for (json::value const& each : providers->as_array()) out.providers.emplace_back(each.as_string());
  return out;
}

}  // namespace

task<result<reply>> get_organization(call& c) {
  auto const shown = co_await c.use.stores.organizations.read(c.caller.organization_id, c.until);
  if (!shown) co_return shown.error();
  co_return organization_reply(c, *shown);
}

task<result<reply>> update_organization(call& c) {
  auto name = checked_name(c.member("name")->as_string(), "/name", longest_organization_name);
  if (!name) co_return name.error();
  auto done = co_await c.use.stores.organizations.rename(c.caller.organization_id, std::move(*name),
                                                         c.expected_versions(), c.actor(), c.until);
  co_return co_await changed_organization(c, std::move(done));
}

task<result<reply>> set_sign_in_policy(call& c) {
  auto done = co_await c.use.stores.organizations.set_policy(c.caller.organization_id, policy_in(c),
                                                             c.expected_versions(), c.actor(), c.until);
  co_return co_await changed_organization(c, std::move(done));
}

task<result<reply>> list_organization_audit(call& c) {
  auto which = audit_filter_of(c);
  which.organization = c.caller.organization_id;
  which.project = query_id(c, "projectId");
  auto const found = co_await c.use.stores.audit.list(std::move(which), c.page(), c.until);
  co_return page_reply(c, found, audit_json);
}

}  // namespace svc::api
