#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/store/change.hpp"

#include <functional>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Computes a component's new settings from its current ones. Pure; called while the page is locked.
using component_edit = std::function<result<pages::component_settings>(pages::component const& current)>;

/// The components of status pages. Every change raises the version of the page's copies and the version of the
/// component, but not the version of the page. Worker-local; the pool outlives it. Every method throws `unavailable`
/// when the database is gone or late; then a change may or may not have happened.
class component_store {
 public:
  explicit component_store(postgres::pool& db) : db_(db) {}

  /// In the order of the page; pages of the list have numbers only. Errors: not_found (the page).
  task<result<page<pages::component>>> list(uuid project, uuid page_id, page_request wanted, deadline until);
  /// Errors: not_found.
  task<result<pages::component>> get(uuid project, uuid page_id, uuid id, deadline until);
  /// Errors: not_found (the page), project_archived, component_limit_reached (100 components, or 1 000 monitors of
  /// the page), validation_failed (unknown monitors).
  task<result<pages::component>> create(editor editor, uuid page_id, pages::component_settings wanted,
                                        deadline until);
  /// A component keeps monitors that were deleted meanwhile, but a deleted monitor cannot be added. Errors: as
  /// `create`, precondition_failed, and any error of `edit`.
  task<result<pages::component>> update(editor editor, uuid page_id, uuid id, component_edit edit, deadline until);
  /// Also resolves the component's open automatic incident, without a post, unless a person has posted to it. Errors:
  /// not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid page_id, uuid id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
