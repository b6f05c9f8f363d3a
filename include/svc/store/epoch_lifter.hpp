#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Raises a subject's epoch above one that Redis already holds: the database was restored or failed over to a time
/// before that number was given. Worker-local.
class epoch_lifter {
 public:
  explicit epoch_lifter(postgres::pool& db) : db_(db) {}
  /// False when the database could not be written or does not know the subject.
  task<bool> lift(uuid subject, std::int64_t above, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
