#pragma once

#include "../acme.hpp"

#include "svc/core/hash.hpp"
#include "svc/core/random.hpp"
#include "svc/store/accounts/invitation_store.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

inline sha256_digest new_digest() {
  sha256_digest out;
  random_bytes(out);
  return out;
}

/// An organisation with its invitations. Ada, an owner, invites.
struct invitation_fixture : acme {
  quota_table quotas{.members = 6};
  store::invitation_store invitations{pool, {}, quotas};

  /// Returns Ada as an inviter by a session.
  store::member_editor by_session(organization_role role) {
    auto const id = uuid::generate_v7();
    auto const secret = id.to_string();
    must({{"invitation_session_test",
           "INSERT INTO sessions (id, user_id, digest, method, expires_at)"
           " VALUES ($1, $2, sha256(convert_to($3, 'UTF8')), 'link', clock_timestamp() + interval '1 hour')"},
          postgres::parameters(id, ada, secret)});
    audit_actor agent{.user = ada, .name = "Ada", .session = id};
    agent.permit = write_permit{.token = id,
                                .subject = ada,
                                .epoch = epoch(ada),
                                .roles = organization_roles_with(organization_permission::member_update),
                                .secret = sha256(secret),
                                .session = session_place{.organization = organization}};
    return {.actor = std::move(agent), .role = role};
  }
  store::member_editor inviter(organization_role role = organization_role::org_owner) {
    audit_actor agent{.user = ada, .name = "Ada"};
    return {.actor = std::move(agent), .role = role};
  }
  result<store::shown_invitation> invite(std::string email, std::optional<sha256_digest> copied = {},
                                         organization_role role = organization_role::org_member,
                                         organization_role agent = organization_role::org_owner) {
    store::new_invitation wanted{.email = std::move(email), .role = role, .projects = {}};
    wanted.projects.push_back({project, role::project_editor});
    return wait(invitations.create(organization, std::move(wanted), copied, inviter(agent), soon()));
  }
  result<store::shown_invitation> renew(uuid id, std::optional<sha256_digest> copied = {},
                                        organization_role agent = organization_role::org_owner) {
    return wait(invitations.renew(organization, id, copied, inviter(agent), soon()));
  }
  result<> revoke(uuid id, organization_role agent = organization_role::org_owner) {
    return wait(invitations.revoke(organization, id, inviter(agent), soon()));
  }
  std::optional<errc> accept(sha256_digest const& secret, uuid user) {
    audit_actor const agent{.user = user, .name = "someone"};
    auto const done = wait(invitations.accept(secret, agent, soon()));
    return done.outcome ? std::nullopt : std::optional(done.outcome.error().code);
  }
  task<store::change<store::signed_in>> accept_task(sha256_digest secret, std::string name) {
    return invitations.accept_as_new(secret, std::move(name), "hash",
                                     {.digest = new_digest(), .method = "password", .ip = "192.0.2.1"}, soon());
  }
  std::optional<errc> accept_as_new(sha256_digest const& secret) {
    auto const done = wait(accept_task(secret, "New"));
    return done.outcome ? std::nullopt : std::optional(done.outcome.error().code);
  }
  bool is_open(sha256_digest const& secret) { return wait(invitations.preview(secret, soon())).has_value(); }
  uuid stranger(std::string const& name) {
    return *wait(directory.create_user(name + "@other.test", name, actor, soon()));
  }
  std::vector<store::shown_invitation> all() { return wait(invitations.list(organization, {}, soon())).rows; }
  std::string text(std::string const& sql) {
    auto const found = must({{"invitation_text_test", sql, true}});
    return found.empty() ? "nothing" : std::string(found.front().text(0));
  }
};

}  // namespace svc::test
