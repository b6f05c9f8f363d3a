// The lists of administrators and the look at an invitation read only the rows of their organisation, however many
// others there are.
#include "../shop.hpp"

#include "svc/store/accounts/invitation_store.hpp"
#include "svc/store/accounts/organization_runner_store.hpp"

using namespace svc;
using namespace svc::test;

namespace {

/// 200 organisations with 100 invitations of two secrets each and 20 runner tokens with ten runners each; `acme` has
/// as many.
void fill_organizations(shop& db) {
  db.as_owner(
      "INSERT INTO organizations (id, slug, name) SELECT gen_random_uuid(), 'o' || i, 'O' FROM generate_series(1, "
      "200) i;"
      "INSERT INTO invitations (id, organization_id, email, role, invited_by, expires_at)"
      " SELECT gen_random_uuid(), o.id, i || '@new.test', 'org_member', '" +
      db.ada.to_string() +
      "', now() + interval '1 day' FROM organizations o, generate_series(1, 100) i;"
      "INSERT INTO one_time_secrets (digest, invitation_id, mailed)"
      " SELECT sha256(convert_to(v.id::text || i, 'UTF8')), v.id, true FROM invitations v, generate_series(1, 2) i;"
      "INSERT INTO system_mails (id, kind, recipient, invitation_id)"
      " SELECT gen_random_uuid(), 'invitation', v.email, v.id FROM invitations v;"
      "WITH made AS (INSERT INTO subjects (id) SELECT gen_random_uuid() FROM generate_series(1, 5000) RETURNING id)"
      " INSERT INTO users (id, email, name) SELECT id, id || '@many.test', 'Many' FROM made;"
      "INSERT INTO runner_tokens (id, organization_id, name, start, digest)"
      " SELECT gen_random_uuid(), o.id, 't' || i, 'svc_runner_', sha256(convert_to(o.id::text || i, 'UTF8'))"
      " FROM organizations o, generate_series(1, 20) i;"
      "INSERT INTO runners (id, token_id, name, version, labels, slots)"
      " SELECT gen_random_uuid(), t.id, 'r' || i, '1', '{linux}', 4 FROM runner_tokens t, generate_series(1, 10) i;"
      "ANALYZE");
}

}  // namespace

TEST_CASE("lists of invitations and runners, and the look at an invitation, read an index of only their rows") {
  shop db;
  fill_organizations(db);
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::invitation_store invitations(pool, {}, {});
  store::organization_runner_store runners(pool);
  store::runner_scope const scope{.organization = db.organization, .project = db.project};
  CHECK(db.wait(invitations.list(db.organization, {}, db.soon())).total == 100);
  CHECK(db.wait(invitations.preview(sha256(std::string_view("nobody")), db.soon())).has_error());
  CHECK(db.wait(runners.tokens({db.organization}, {}, db.soon())).total == 20);
  CHECK(db.wait(runners.runners(scope, {}, db.soon())).total == 200);
  std::string const organization = "'" + db.organization.to_string() + "'", page = ", 21, 0, NULL, NULL";
  std::vector<plan_case> const cases{
      {"invitation_list", organization + page, {"invitations_of_organization", "system_mails_of_invitation"}},
      {"invitation_preview", "sha256('nobody')", {"one_time_secrets_pkey", "invitations_pkey", "users_email_unique"}},
      {"organization_runner_tokens",
       organization + ", NULL" + page,
       {"runner_tokens_name_unique", "runners_name_unique"}},
      {"organization_runners",
       organization + ", NULL" + page,
       {"runner_tokens_name_unique", "runners_name_unique", "run_queue_held"}},
  };
  db.check_plans(pool, cases, [](plan_case const&, std::string const& plan) {
    CHECK(plan.find("Seq Scan on invitations") == std::string::npos);
    CHECK(plan.find("Seq Scan on runners") == std::string::npos);
    CHECK(execution_ms(plan) < 100);
  });
}
