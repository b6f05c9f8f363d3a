#pragma once

#include "migrated_database.hpp"

#include "svc/store/directory/audit_store.hpp"
#include "svc/store/directory/directory_store.hpp"
#include "svc/store/tokens/auth_reader.hpp"
#include "svc/store/tokens/token_store.hpp"

#include <map>

namespace svc::test {

/// Organisation `acme` with project `shop`, its job, and three members: Ada (org_owner), Ed (project_editor), Vi
/// (project_viewer).
struct acme : migrated_database {
  acme();

  uuid user(std::string const& name, std::string const& organization_role, std::string const& project_role = {});
  uuid job(uuid in_project, uuid owner);
  store::new_token cli(uuid owner, std::string name);
  store::new_token key(uuid owner, std::string name);
  /// Creates the token; this must succeed.
  store::stored_token make(store::new_token token);

  token_record read(sha256_digest const& digest);
  std::int64_t epoch(uuid subject);
  std::int64_t audit_rows(std::string const& action);
  /// Returns the epochs of all subjects.
  std::map<uuid, std::int64_t> epochs();

  store::token_store tokens{pool};
  store::directory_store directory{pool};
  store::audit_store audit{pool};
  store::postgres_auth_reader reader{pool};
  audit_actor const actor{};
  uuid organization, project, ada, ed, vi, build;
};

/// Returns the ids of the subjects whose epochs a change advanced.
std::vector<uuid> subjects_of(std::vector<subject_epoch> const& touched);

/// Returns the rights of an administrator, or of an owner without rights.
store::token_editor as(uuid user, role r);
store::token_editor as_owner_only(uuid user, role r);

}  // namespace svc::test
