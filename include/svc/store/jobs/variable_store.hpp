#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/quota.hpp"
#include "svc/domain/variable.hpp"
#include "svc/store/change.hpp"

#include <functional>
#include <optional>
#include <string>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The settings of a variable. Without `value`, the stored value stays.
struct variable_settings {
  std::string key;
  std::optional<secret_string> value{};
  bool is_secret = false;
  std::optional<std::string> description{};
};

/// Computes a variable's new settings from its current ones. Pure; called while the variable is locked.
using variable_edit = std::function<result<variable_settings>(variable const& current)>;

/// Variables, with their values sealed. Worker-local; the pool and the master keys outlive it. Every method throws
/// `unavailable` when the database is gone or late, or a sealed value cannot be opened.
class variable_store {
 public:
  variable_store(postgres::pool& db, master_keys& master, quota_table quotas = {})
      : db_(db), master_(master), quotas_(quotas) {}

  /// Opens the values that are not secret. Rows and `total` (page_facts) come from one snapshot.
  task<page<variable>> list(uuid project, page_request wanted, deadline until);
  /// Errors: not_found.
  task<result<variable>> get(uuid project, uuid id, deadline until);
  /// `wanted` must have a value. project_archived, name_taken, variable_limit_reached, variable_bytes_exceeded.
  task<result<variable>> create(editor editor, variable_settings wanted, deadline until);
  /// not_found, precondition_failed, name_taken, variable_bytes_exceeded when the value grows, any error of `edit`.
  task<result<variable>> update(editor editor, uuid id, variable_edit edit, deadline until);
  /// Errors: not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid id, deadline until);
  /// Returns the value, even of a secret, for runs. Errors: not_found.
  task<result<secret_string>> reveal(uuid project, uuid id, deadline until);

 private:
  postgres::pool& db_;
  master_keys& master_;
  quota_table quotas_;
};

}  // namespace svc::store
