#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/test_case.hpp"
#include "svc/store/change.hpp"

#include <functional>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Computes a tag's new settings from its current ones. Pure; called while the tag is locked.
using tag_edit = std::function<result<tag_settings>(tag const& current)>;

/// Tags. Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or late;
/// then a change may or may not have happened.
class tag_store {
 public:
  explicit tag_store(postgres::pool& db) : db_(db) {}

  /// Rows and `total` (page_facts) come from one snapshot.
  task<page<tag>> list(uuid project, page_request wanted, deadline until);
  /// Errors: not_found.
  task<result<tag>> get(uuid project, uuid id, deadline until);
  /// Errors: project_archived, name_taken, tag_limit_reached (200 in a project, enforced by the database).
  task<result<tag>> create(editor editor, tag_settings wanted, deadline until);
  /// Errors: not_found, precondition_failed, name_taken, and any error of `edit`.
  task<result<tag>> update(editor editor, uuid id, tag_edit edit, deadline until);
  /// Also removes the tag from every test, monitor and maintenance window. Errors: not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
