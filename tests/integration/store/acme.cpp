#include "acme.hpp"

namespace svc::test {

acme::acme() {
  organization = *wait(directory.create_organization("acme", "Acme", actor, soon()));
  project = *wait(directory.create_project(organization, "shop", "Shop", actor, soon()));
  ada = user("Ada", "org_owner");
  ed = user("Ed", "org_member", "project_editor");
  vi = user("Vi", "org_member", "project_viewer");
  build = job(project, ada);
}

uuid acme::user(std::string const& name, std::string const& organization_role, std::string const& project_role) {
  uuid const id = *wait(directory.create_user(name + "@acme.test", name, actor, soon()));
  REQUIRE(
      wait(directory.set_organization_role(organization, id, organization_role, actor, soon())).outcome.has_value());
  if (!project_role.empty())
    REQUIRE(wait(directory.set_project_role(project, id, project_role, actor, soon())).outcome.has_value());
  return id;
}

uuid acme::job(uuid in_project, uuid owner) {
  uuid const id = uuid::generate_v7();
  must({{"job_insert_test",
         "INSERT INTO jobs (id, project_id, name, job_type, created_by) VALUES ($1, $2, 'build', "
         "'command', $3)"},
        postgres::parameters(id, in_project, owner)});
  return id;
}

store::new_token acme::cli(uuid owner, std::string label) {
  minted_token const minted = mint_token(token_kind::cli);
  return {.kind = token_kind::cli,
          .scope = {project},
          .owner = owner,
          .name = std::move(label),
          .start = minted.start,
          .digest = minted.digest};
}

store::new_token acme::key(uuid owner, std::string label) {
  minted_token const minted = mint_token(token_kind::trigger);
  return {.kind = token_kind::trigger,
          .scope = {project, build},
          .owner = owner,
          .name = std::move(label),
          .start = minted.start,
          .digest = minted.digest};
}

store::stored_token acme::make(store::new_token token) {
  auto made = wait(tokens.create(std::move(token), actor, soon()));
  REQUIRE(made.outcome.has_value());
  CHECK(made.touched.empty());
  return *made.outcome;
}

token_record acme::read(sha256_digest const& digest) {
  auto const reading = wait(reader.read({digest}, soon()));
  auto const found = reading.records.find(digest);
  REQUIRE(found != reading.records.end());
  REQUIRE(found->second.has_value());
  return *found->second;
}

std::int64_t acme::epoch(uuid subject) {
  return number({{"epoch_test", "SELECT epoch FROM subjects WHERE id = $1"}, postgres::parameters(subject)});
}

std::int64_t acme::audit_rows(std::string const& action) {
  return number({{"audit_test", "SELECT count(*) FROM audit_log WHERE action = $1"}, postgres::parameters(action)});
}

std::map<uuid, std::int64_t> acme::epochs() {
  std::map<uuid, std::int64_t> out;
  auto const found = must({{"epochs_test", "SELECT id, epoch FROM subjects"}});
  for (int i = 0; i < found.size(); ++i) out[found[i].id(0)] = found[i].integer(1);
  return out;
}

std::vector<uuid> subjects_of(std::vector<subject_epoch> const& touched) {
  std::vector<uuid> out;
  for (subject_epoch const& epoch : touched) out.push_back(epoch.subject);
  return out;
}

store::token_editor as(uuid user, role r) {
  return {.actor = {.user = user, .name = "tester"}, .as = r};
}

store::token_editor as_owner_only(uuid user, role r) {
  return {.actor = {.user = user, .name = "tester"}, .as = r, .only_owner = user};
}

}  // namespace svc::test
