#pragma once

#include "svc/core/async.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/postgres/query.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Belongs in the transaction that ends a run that was ever claimed: its output must be moved.
postgres::query output_due(uuid run);

/// An ended run whose output still lies in Redis.
struct due_output {
  uuid run;
  std::int64_t attempt = 0;
  std::string status;
  milliseconds age{0};  ///< since the run has ended
  uuid project{};
};

/// A run's output as the table holds it. `content` is compressed.
struct stored_output {
  uuid run;
  byte_vector content{};
  std::int64_t size = 0;  ///< inflated
  std::int64_t lines = 0;
  bool incomplete = false;
};

/// What was taken from a project that had stored too much.
struct dropped_output {
  uuid project;
  std::int64_t runs = 0;
  std::int64_t bytes = 0;
};

/// The output of ended runs. Worker-local; the pool outlives it. Every method throws `unavailable` when the database
/// is gone or late.
class output_store {
 public:
  explicit output_store(postgres::pool& db) : db_(db) {}

  struct found {
    bool due = false;                       ///< the run's output is still to be moved here
    bool dropped = false;                   ///< it was stored, and dropped since
    std::optional<stored_output> stored{};  ///< none of them: the run never had any
  };
  task<found> find(uuid run, deadline until);

  /// Up to `most` runs whose output the caller must move; nobody else gets them for ten seconds. Runs that ended just
  /// now are left out: Redis is still being told of their end.
  task<std::vector<due_output>> take_due(std::int64_t most, deadline until);
  /// Stores each output that is not stored already.
  task<> keep(std::vector<stored_output> all, deadline until);

  /// Which of these runs Redis need not keep: they are deleted, or over with nothing to move.
  task<std::vector<uuid>> needless(std::vector<uuid> runs, deadline until);

  /// Compressed bytes that the project had stored a second ago. Reads one row by its key.
  task<std::int64_t> stored_bytes(uuid project, deadline until);
  /// Adds up what all projects have stored and deleted, and drops the oldest output of those beyond the quota (0:
  /// none), some at a time. Each instance calls it each second; one at a time does the work.
  task<std::vector<dropped_output>> settle(std::int64_t quota, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
