#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/principal.hpp"

#include <cstdint>
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
  /// "behind the last id": rows commit out of order. Throws `unavailable`.
  task<pending> recent(deadline until);
  task<> mark_delivered(std::vector<std::int64_t> rows, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
