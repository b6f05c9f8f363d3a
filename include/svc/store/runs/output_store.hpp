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

/// Marks a run's output as due to be moved. Must be part of the transaction that ends a run that was ever claimed.
postgres::query output_due(uuid run);

/// An ended run whose output is still in Redis.
struct due_output {
  uuid run;
  std::int64_t attempt = 0;
  std::string status;
  milliseconds age{0};  ///< since the run ended
  uuid project{};
};

/// A run's output as stored in the table. `content` is compressed. It is missing if the runner reported with
/// the result that the run printed nothing, because the status then tells the whole output.
struct stored_output {
  uuid run;
  byte_vector content{};
  std::int64_t size = 0;  ///< of the uncompressed output
  std::int64_t lines = 0;
  bool incomplete = false;

  bool silent() const { return content.empty(); }
};

/// The output dropped from a project that exceeded its quota.
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

  struct found_output {
    bool due = false;      ///< the run's output is yet to be moved here
    bool dropped = false;  ///< it was stored and has since been dropped
    std::optional<stored_output> stored{};
    std::optional<std::string> silent{};  ///< the status of a run whose result says that it printed nothing
  };
  /// At most one member of the result is set; none: the run never had any output.
  task<found_output> find(uuid run, deadline until);
  /// The same without the content, which may be large: `stored` has only the run and the size of the output.
  task<found_output> look(uuid run, deadline until);

  /// Returns up to `most` runs whose output the caller must move; no other caller gets them for ten seconds. Runs
  /// that ended within the last 0.2 s are left out, because Redis may not know of their end yet.
  task<std::vector<due_output>> take_due(std::int64_t most, deadline until);
  /// Stores each output that is not stored yet.
  task<> keep(std::vector<stored_output> all, deadline until);

  /// Returns the runs among these whose output Redis need not keep: deleted ones, and ended ones with nothing to
  /// move.
  task<std::vector<uuid>> needless(std::vector<uuid> runs, deadline until);

  /// Compressed bytes that the project had stored at the last `settle`, about a second ago. Reads one row by its key.
  task<std::int64_t> stored_bytes(uuid project, deadline until);
  /// Updates the total of every project from what was stored and deleted since the last call, and drops the oldest
  /// output of projects above the quota (0: no quota), a limited amount per call. Every instance calls it every
  /// second; only one at a time does the work.
  task<std::vector<dropped_output>> settle(std::int64_t quota, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
