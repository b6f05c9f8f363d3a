#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Numbers of mails, each to one recipient; 0: no limit.
struct mail_limits {
  std::int64_t per_day = 2'000;    ///< of a project, in a day of UTC
  std::int64_t per_address = 120;  ///< at an address from all projects, in an hour of UTC
};

/// Counts mails over all instances, and knows who may receive them. The counts are in PostgreSQL, because a
/// count and its message are then one transaction, so that no crash or failover loses one of them.
/// Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or late.
class mail_store {
 public:
  explicit mail_store(postgres::pool& db) : db_(db) {}

  /// Counts a mail to each recipient as far as the limits have room. Returns for each whether the mail may be sent. A
  /// project gets no further mail to an address once it has used as many mails as are left in the address's limit.
  /// `message`: one that is being sent, whose recipients are counted once for all attempts; nothing for a test.
  task<std::vector<bool>> admit(uuid project, std::optional<uuid> message, std::vector<std::string> recipients,
                                mail_limits most, deadline until);

  /// Returns the addresses that members of the project's organisation have, in lower case. `addresses` are
  /// in any case.
  task<std::vector<std::string>> members_among(uuid project, std::vector<std::string> addresses, deadline until);

  /// Deletes up to `most` counts of past hours. Returns the number deleted.
  task<std::int64_t> delete_old(std::int64_t most, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
