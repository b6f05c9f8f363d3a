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

#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The secret before the newest one, while it is good. A value.
struct previous_secret {
  std::string start;
  timestamp expires_at;

  friend bool operator==(previous_secret const&, previous_secret const&) = default;
};

/// A CLI token, test token or trigger key as it is stored; never its secret. A value.
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
  bool enabled = true;                ///< may be used; never again once `owner_left`
  std::optional<uuid> disabled_by{};  ///< the administrator who switched it off
  bool owner_left = false;            ///< the owner was removed since it was made
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

  /// Whose epoch its changes raise.
  uuid subject() const { return job ? id : owner; }
};

/// Which tokens a request may see: the CLI and test tokens of a project, or the keys of one of its jobs.
struct token_scope {
  uuid project;
  std::optional<uuid> job{};
};

struct new_token {
  token_kind kind = token_kind::cli;
  token_scope place;
  uuid owner;
  std::string name;  ///< checked
  std::string start;
  sha256_digest digest{};
  bool enabled = true;                       ///< may be used; never again once `owner_left`
  std::optional<std::int64_t> expires_in{};  ///< seconds from the database's now
  std::optional<timestamp> expires_at{};     ///< instead of `expires_in`
  std::optional<window_limit> rate{};
  std::optional<std::vector<std::string>> allowed_cidrs{};
};

/// A new secret for a token, and what becomes of the one before it.
struct rotation {
  sha256_digest digest{};
  std::string start{};
  std::int64_t grace_seconds = 86'400;       ///< 0: the one before it ends at once
  bool end_at_first_use = false;             ///< it ends when the new one is first used, too
  std::optional<std::int64_t> expires_in{};  ///< seconds from the database's now; empty: unchanged
  /// The secret that the request came with: if it is this token's pending one, this is its first use.
  std::optional<sha256_digest> presented{};
};

/// The person who changes a token, and what that person may do to other people's. The change checks it again when it
/// commits.
struct token_editor {
  audit_actor actor;  ///< its permit names the roles that may do it to anybody's token
  role as = role::none;
  bool own_allowed = false;  ///< everyone may do it to their own token, whatever the role
  /// Empty: every token of the scope. Otherwise only this owner's; any other is `permission_denied`.
  std::optional<uuid> only_owner{};
  version_condition expected{};
};

/// A merge patch on a key's own limit.
struct rate_edit {
  bool reset = false;  ///< back to the default; the rest is unused
  std::optional<std::uint32_t> limit{};
  std::optional<std::uint32_t> seconds{};
  window_limit base{};  ///< what holds for a key without a limit of its own

  std::optional<window_limit> apply(std::optional<window_limit> const& to) const;
};

/// The addresses that may use a key from now on.
struct cidrs_edit {
  std::optional<std::vector<std::string>> to{};  ///< not set: every address
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

  /// not_found (job), name_taken, token_limit_reached, trigger_key_limit_reached; owner_removed, owner_disabled,
  /// owner_without_role, project_archived when the owner's rights changed since the request was admitted.
  task<change<stored_token>> create(new_token what, audit_actor by, deadline until);

  /// All or nothing, in order. The error's `details` name the rows by index: "/0", "/1", ...
  task<change<std::vector<stored_token>>> import(std::vector<new_token> all, audit_actor by, deadline until);

  /// Carries the epoch even for a tombstone, which is not_found: what is shown of a token, or that it is gone, may
  /// have changed just now.
  task<change<stored_token>> get(token_scope place, uuid id, deadline until);

  /// Unrevoked ones, createdAt ascending. Rows and `total` (page_facts) come from one snapshot. not_found (job).
  task<result<page<stored_token>>> list(token_scope place, page_request wanted, deadline until);

  /// The epochs of all that `list` shows. Read after it, they are as new as what it has shown.
  task<std::vector<subject_epoch>> epochs_of(token_scope place, deadline until);

  /// not_found, permission_denied, precondition_failed, name_taken, disabled_by_administrator. Throws
  /// `write_refused` when the editor has lost the right to it since the request was admitted; `revoke` too.
  task<change<stored_token>> update(token_scope place, uuid id, token_edit edit, token_editor by, deadline until);

  /// not_found (repeated, too), permission_denied, precondition_failed.
  task<change<>> revoke(token_scope place, uuid id, token_editor by, deadline until);

  /// Only by its owner, who is `by.user`. not_found, not_token_owner, token_not_active.
  task<change<stored_token>> rotate(token_scope place, uuid id, rotation how, audit_actor by, deadline until);

  /// The first use of a pending secret: it becomes the current one. False when it is not (or no longer) pending;
  /// `touched` holds the subject's epoch unless the token does not exist.
  task<change<bool>> confirm(token_scope place, uuid id, sha256_digest used, audit_actor by, deadline until);

  /// The scope of a token or key, revoked ones included; the scope of a job's keys. For the command line. not_found.
  task<result<token_scope>> scope_of(uuid token, deadline until);
  task<result<token_scope>> keys_of(uuid job, deadline until);

 private:
  postgres::pool& db_;
};

struct last_use {
  uuid token;
  timestamp at;
  std::string ip;
};

/// When and from where tokens were last used; never goes back, changes no version. Worker-local.
class last_use_store {
 public:
  explicit last_use_store(postgres::pool& db) : db_(db) {}
  /// One statement, rows in id order so that two instances cannot deadlock. Throws `unavailable`.
  task<> write(std::vector<last_use> batch, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
