#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Number of data keys that one master key wraps.
struct master_key_use {
  std::string id;  ///< of the master key: `sealer::id`
  std::int64_t data_keys = 0;
};

/// The uses of all master keys. Reads an index with one entry for each project. Throws `unavailable` as below.
task<std::vector<master_key_use>> master_key_uses(postgres::pool& db, deadline until);

/// Rewraps the data keys of all projects with the current master key, batch by batch, while the service runs: a data
/// key itself never changes, and each row names the master key that wraps it. After an interruption, a new rotation
/// continues with the remaining keys. Worker-local; the pool and the keys outlive it. Every method throws
/// `unavailable` when the database is gone or late.
class key_rotation {
 public:
  key_rotation(postgres::pool& db, master_keys& master) : db_(db), master_(master) {}

  /// The number of data keys that are not wrapped by the current master key.
  task<std::int64_t> left(deadline until);

  struct step {
    std::int64_t rewrapped = 0;
    std::vector<uuid> unreadable{};  ///< projects whose data key no configured master key opens; left unchanged
    bool last = false;
  };
  /// Rewraps the next batch in one transaction, with an audit row for each key.
  task<step> next(audit_actor actor, deadline until);

 private:
  postgres::pool& db_;
  master_keys& master_;
  uuid behind_{};  ///< projects up to this one are processed
};

}  // namespace svc::store
