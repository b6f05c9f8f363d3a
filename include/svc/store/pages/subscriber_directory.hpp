#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/store/change.hpp"

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The subscribers of pages as editors see them. Audit rows have the id of a subscriber and never its address.
/// Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or late.
class subscriber_directory {
 public:
  explicit subscriber_directory(postgres::pool& db) : db_(db) {}

  /// The newest subscriber first. Errors: not_found (the page).
  task<result<page<pages::subscriber>>> list(uuid project, uuid page_id, page_request wanted, deadline until);
  /// Errors: not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid page_id, uuid id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
