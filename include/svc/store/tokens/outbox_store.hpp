#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/principal.hpp"
#include "svc/postgres/pool.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace svc::store {

/// Epoch changes that Redis may not have yet. Worker-local.
class outbox_store {
 public:
  explicit outbox_store(postgres::pool& db) : db_(db) {}

  struct pending {
    std::vector<std::int64_t> undelivered{};  ///< rows to mark as delivered
    std::vector<subject_epoch> epochs{};      ///< each subject once, with its highest epoch
  };
  /// Rows younger than 45 s, delivered or not (Redis may have lost them in a flush), and the 10 000 oldest
  /// undelivered ones. Does not continue after the last id read, because rows commit out of order. Throws
  /// `unavailable`.
  task<pending> recent(deadline until);
  /// Returns true if all changes of these subjects from the last ten seconds were delivered to Redis. Throws
  /// `unavailable`.
  task<bool> are_published(std::vector<uuid> subjects, deadline until);
  task<> mark_delivered(std::vector<std::int64_t> rows, deadline until);

  struct swept {
    std::int64_t deleted = 0;
    std::optional<std::int64_t> after{};  ///< continue after this row; empty: no more old rows
  };
  /// Looks at the next 1 000 rows after this id and deletes those that were delivered and are older than ten minutes.
  /// Any number of instances may do this; none waits for another. Throws `unavailable`.
  task<swept> sweep(std::int64_t after, deadline until);

 private:
  postgres::pool& db_;
};

/// Advances a subject's epoch beyond the one that Redis holds. This is needed when the database was restored,
/// or failed over to a state from before that epoch was assigned. Worker-local.
class epoch_advancer {
 public:
  explicit epoch_advancer(postgres::pool& db) : db_(db) {}
  /// False when the database could not be written or does not know the subject.
  task<bool> advance(uuid subject, std::int64_t above, deadline until);

 private:
  postgres::pool& db_;
};

/// Makes each session of a pool start its server's timeline, if that is new: subjects are then advanced beyond all
/// epochs that were in use. `begun` gets the lowest epoch of this database, on the pool's thread, before the pool
/// lends any session of the timeline.
void begin_timelines(postgres::settings& settings, std::function<void(std::int64_t lowest_epoch)> begun);

}  // namespace svc::store
