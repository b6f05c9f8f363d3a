#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/principal.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Changes that Redis may not know yet. Worker-local.
class outbox_store {
 public:
  explicit outbox_store(postgres::pool& db) : db_(db) {}

  struct pending {
    std::vector<std::int64_t> undelivered{};  ///< rows to mark
    std::vector<subject_epoch> epochs{};      ///< each subject once, at its highest
  };
  /// Rows younger than 45 s, delivered or not (a flush may have swallowed them), and all undelivered ones. Never
  /// "after the last id": rows commit out of order. Throws `unavailable`.
  task<pending> recent(deadline until);
  /// Whether Redis knows all changes of these subjects that began in the last ten seconds. Throws `unavailable`.
  task<bool> told(std::vector<uuid> subjects, deadline until);
  task<> mark_delivered(std::vector<std::int64_t> rows, deadline until);

  struct swept {
    std::int64_t deleted = 0;
    std::optional<std::int64_t> after{};  ///< continue after this row; empty: all old rows were looked at
  };
  /// Deletes the delivered ones among the next 1 000 rows after this id that are older than ten minutes. Any number
  /// of instances may do it; none waits for another. Throws `unavailable`.
  task<swept> sweep(std::int64_t after, deadline until);

 private:
  postgres::pool& db_;
};

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
