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
}

namespace svc::store {

/// A written row of the audit log. A value.
struct audit_row {
  uuid id;
  audit_entry what;
  timestamp created_at;
};

/// Which rows; the filters that are set must all hold.
struct audit_filter {
  std::optional<uuid> organization{};
  std::optional<uuid> project{};
  std::optional<std::string> action{};
  std::optional<uuid> actor{};      ///< the user
  std::optional<timestamp> from{};  ///< written then or later
  std::optional<timestamp> to{};    ///< written before
};

/// Reads the audit log; rows are written by the changes themselves. Worker-local; the pool outlives it.
class audit_store {
 public:
  explicit audit_store(postgres::pool& db) : db_(db) {}

  /// createdAt descending, then id.
  task<page<audit_row>> list(audit_filter which, page_request wanted, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
