#pragma once

#include "svc/postgres/pool.hpp"
#include "svc/store/token_store.hpp"

#include <vector>

namespace svc::store {

/// A token that may be inserted: its place is held until the end of the transaction.
struct token_place {
  std::string owner_name;
  uuid organization;
  std::int64_t slot = 0;
};

/// Locks what the token relies on (project, job, owner, memberships) and its scope's slots, then looks at them.
/// One round trip. Fails as `token_store::create` does.
task<result<token_place>> take_place(postgres::unit_of_work& tx, new_token const& what);

/// Token, subject (trigger keys), secret, audit row. The first answers with what the database's clock made.
std::vector<postgres::query> insert_queries(stored_token const& token, new_token const& what, std::int64_t slot,
                                            audit_actor const& by);

/// The new token under a fresh id, before the database's clock has spoken.
stored_token draft_of(new_token const& what, token_place const& place);
void read_clock(stored_token& token, postgres::rows const& inserted);

/// The violated constraint as an error of `create`.
error creation_error(postgres::server_error const& why, bool trigger_key);

}  // namespace svc::store
