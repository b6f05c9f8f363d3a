#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/page.hpp"

#include <optional>
#include <string>

namespace svc::postgres {
class pool;
struct query;
}  // namespace svc::postgres

namespace svc::store {

/// A row of the audit log. A value.
struct audit_row {
  uuid id;
  audit_entry entry;
  timestamp created_at;
};

/// Selects rows of the audit log. Every filter that is set must match.
struct audit_filter {
  std::optional<uuid> organization{};
  std::optional<uuid> project{};
  std::optional<std::string> action{};
  std::optional<uuid> actor{};       ///< the user
  std::optional<timestamp> start{};  ///< written at this time or later, by its id
  std::optional<timestamp> end{};    ///< written before this time
};

/// Reads the audit log. Each change writes its own rows. Worker-local; the pool outlives it.
class audit_store {
 public:
  explicit audit_store(postgres::pool& db) : db_(db) {}

  /// Returns the newest rows first, in the order of their ids, which contain the time. A page starts after the id in
  /// the cursor; the cursor's time is not compared.
  task<page<audit_row>> list(audit_filter which, page_request wanted, deadline until);

  /// The events of the own account, the newest first: sign-ins and changes that belong to no organisation.
  task<page<audit_row>> list_events(uuid user, page_request wanted, deadline until);

 private:
  postgres::pool& db_;
};

/// Returns the query of `list`. Tests read its plan.
postgres::query audit_list_query(audit_filter const& which, page_request const& wanted);

/// Returns the query of `list_events`. Tests read its plan.
postgres::query event_list_query(uuid user, page_request const& wanted);

}  // namespace svc::store
