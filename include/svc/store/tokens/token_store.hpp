#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/limit.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/role.hpp"
#include "svc/domain/token.hpp"
#include "svc/store/change.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The secret before the newest one, while it is still valid. A value.
struct previous_secret {
  std::string start;
  timestamp expires_at;

  friend bool operator==(previous_secret const&, previous_secret const&) = default;
};

/// A CLI token, test token or trigger key as it is stored, without its secret. A value.
struct stored_token {
  uuid id;
  token_kind kind = token_kind::cli;
  uuid project;
  uuid organization;
  std::optional<uuid> job{};  ///< trigger keys only
  uuid owner;
  std::string owner_name;
  uuid created_by;
  std::string created_by_name;
  std::string name;
  std::string start;                  ///< for display
  bool enabled = true;                ///< may be used; always false once `owner_left`
  std::optional<uuid> disabled_by{};  ///< the administrator who disabled it
  bool owner_left = false;            ///< the owner has been removed since it was created
  bool revoked = false;
  std::optional<window_limit> rate{};
  std::optional<std::vector<std::string>> allowed_cidrs{};  ///< not set: every address
  std::optional<timestamp> expires_at{};
  std::optional<timestamp> last_used_at{};
  std::optional<std::string> last_used_ip{};
  std::int64_t version = 1;
  timestamp created_at;
  timestamp updated_at;
  std::optional<previous_secret> previous{};  ///< after a rotation

  /// The subject whose epoch is bumped when the token changes.
  uuid subject() const { return job ? id : owner; }
};

/// The tokens that a request may see: the CLI and test tokens of a project, or the trigger keys of one of its jobs.
struct token_scope {
  uuid project;
  std::optional<uuid> job{};
};

struct new_token {
  token_kind kind = token_kind::cli;
  token_scope scope;
  uuid owner;
  std::string name;  ///< checked by the caller
  std::string start;
  sha256_digest digest{};
  bool enabled = true;                       ///< may be used
  std::optional<std::int64_t> expires_in{};  ///< seconds from the database's now
  std::optional<timestamp> expires_at{};     ///< instead of `expires_in`
  std::optional<window_limit> rate{};
  std::optional<std::vector<std::string>> allowed_cidrs{};
};

/// A credential of a project, with what selects its rate limit windows. A value.
struct limited_credential {
  uuid id;
  token_kind kind = token_kind::cli;
  std::string name;
  uuid owner;
  std::optional<uuid> job{};  ///< trigger keys only
  std::string job_name{};
  std::optional<std::uint32_t> rate_limit{}, rate_window{};
};

/// A new secret for a token, and the fate of the previous one.
struct rotation {
  sha256_digest digest{};
  std::string start{};
  std::int64_t grace_seconds = 86'400;       ///< 0: the previous secret ends at once
  bool end_at_first_use = false;             ///< the previous secret also ends when the new one is first used
  std::optional<std::int64_t> expires_in{};  ///< seconds from the database's now; empty: unchanged
  /// The secret that authenticated the request. If it is this token's pending one, this is its first use.
  std::optional<sha256_digest> presented{};
};

/// The person who changes a token, and that person's rights on other people's tokens. The change checks this again
/// when it commits.
struct token_editor {
  audit_actor actor;  ///< its permit names the roles that may make this change to anyone's token
  role as = role::none;
  bool own_allowed = false;  ///< owners may make this change to their own tokens, whatever their role
  /// Empty: may change every token of the scope. Otherwise only this owner's; others are `permission_denied`.
  std::optional<uuid> only_owner{};
  version_condition expected{};
};

/// A merge patch for a key's own rate limit.
struct rate_edit {
  bool reset = false;  ///< back to the default; `limit` and `seconds` are unused
  std::optional<std::uint32_t> limit{};
  std::optional<std::uint32_t> seconds{};
  window_limit base{};  ///< the limit of a key without one of its own, also needed for `reset`
  /// The most requests per minute that a key's limit may allow. A limit above it stays, and may be lowered, but not
  /// raised.
  std::uint32_t most_a_minute = 0xffffffff;

  std::optional<window_limit> apply(std::optional<window_limit> const& target) const;
};

/// The addresses that may use a key from now on.
struct cidrs_edit {
  std::optional<std::vector<std::string>> texts{};  ///< not set: every address
};

struct token_edit {
  std::optional<bool> enabled{};
  std::optional<std::string> name{};
  std::optional<rate_edit> rate{};
  std::optional<cidrs_edit> cidrs{};
};

/// CLI tokens and trigger keys. Worker-local; the pool outlives it. Every method throws `unavailable` when the
/// database is gone or late; then a change may or may not have happened.
class token_store {
 public:
  explicit token_store(postgres::pool& db) : db_(db) {}

  /// not_found (project, job or owner), name_taken, token_limit_reached, trigger_key_limit_reached; owner_removed,
  /// owner_disabled, owner_without_role or project_archived if the owner's rights have changed since the request was
  /// admitted.
  task<change<stored_token>> create(new_token content, audit_actor actor, deadline until);

  /// Creates all or none, in order. The error's `details` name the row by its index: "/0", "/1", ...
  task<change<std::vector<stored_token>>> import(std::vector<new_token> all, audit_actor actor, deadline until);

  /// Returns the epoch even with a tombstone's not_found: the token may have been changed or deleted just now.
  task<change<stored_token>> get(token_scope scope, uuid id, deadline until);

  /// Unrevoked tokens, sorted by createdAt, ascending. Rows and `total` (page_facts) come from one snapshot.
  /// not_found (job).
  task<result<page<stored_token>>> list(token_scope scope, page_request wanted, deadline until);

  /// The epochs of all tokens that `list` returns. If read after `list`, they are at least as new as its result.
  task<std::vector<subject_epoch>> epochs_of(token_scope scope, deadline until);

  /// Returns the unrevoked CLI and test tokens of a project, the oldest first, and then up to `most_keys` trigger
  /// keys of all jobs, the last used first.
  task<std::vector<limited_credential>> limited(uuid project, std::int64_t most_keys, deadline until);

  /// Only the owner, or a person whose role is at least the owner's, may enable a token or widen its rights; others
  /// get permission_denied. not_found, precondition_failed, name_taken, disabled_by_administrator. Like `revoke`,
  /// throws `write_refused` if the editor has lost the right to make the change since the request was admitted.
  task<change<stored_token>> update(token_scope scope, uuid id, token_edit edit, token_editor editor, deadline until);

  /// not_found (also if it was already revoked), permission_denied, precondition_failed.
  task<change<>> revoke(token_scope scope, uuid id, token_editor editor, deadline until);

  /// Only the owner may do this, as `by.user`. not_found, not_token_owner, token_not_active.
  task<change<stored_token>> rotate(token_scope scope, uuid id, rotation rotation, audit_actor actor, deadline until);

  /// Records the first use of a pending secret, which becomes the current one. False if it is not, or no longer,
  /// pending. `touched` holds the subject's epoch unless the token does not exist.
  task<change<bool>> confirm(token_scope scope, uuid id, sha256_digest used, audit_actor actor, deadline until);

  /// `scope_of`: the scope of a token or key, even a revoked one. `keys_of`: the scope of a job's keys. Both are for
  /// the command line. not_found.
  task<result<token_scope>> scope_of(uuid token, deadline until);
  task<result<token_scope>> keys_of(uuid job, deadline until);

 private:
  postgres::pool& db_;
};

struct last_use {
  uuid token;
  timestamp time;
  std::string ip;
};

/// The last use of tokens: its time and address. Times never go back; tokens' versions do not change. Worker-local.
class last_use_store {
 public:
  explicit last_use_store(postgres::pool& db) : db_(db) {}
  /// One statement that writes rows in id order, so that two instances cannot deadlock. Throws `unavailable`.
  task<> write(std::vector<last_use> batch, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
