#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"

#include <cstdint>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Wraps the data keys of all projects by the current master key, batch by batch, while the service goes on: a data
/// key itself never changes, and each row names the key that wraps it. If it is interrupted, the next one continues
/// with what is left. Worker-local; the pool and the keys outlive it. Every method throws `unavailable` when the
/// database is gone or late.
class key_rotation {
 public:
  key_rotation(postgres::pool& db, master_keys& master) : db_(db), master_(master) {}

  /// Data keys that another master key than the current one wraps.
  task<std::int64_t> left(deadline until);

  struct step {
    std::int64_t rewrapped = 0;
    std::vector<uuid> unreadable{};  ///< projects whose data key no master key here opens; they stay as they are
    bool last = false;
  };
  /// The next batch in one transaction, each key with its audit row.
  task<step> next(audit_actor by, deadline until);

 private:
  postgres::pool& db_;
  master_keys& master_;
  uuid behind_{};  ///< projects up to this one were looked at
};

}  // namespace svc::store
