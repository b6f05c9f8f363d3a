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

/// Belongs into the transaction that ends a run which was ever claimed: its output is to be moved.
postgres::query output_due(uuid run);

/// An ended run whose output still lies in Redis.
struct due_output {
  uuid run;
  std::int64_t attempt = 0;
  std::string status;
  milliseconds age{0};  ///< since the run has ended
};

/// A run's output as the table holds it. `content` is compressed.
struct stored_output {
  uuid run;
  byte_vector content{};
  std::int64_t size = 0;  ///< inflated
  std::int64_t lines = 0;
  bool incomplete = false;
};

/// The output of ended runs. Worker-local; the pool outlives it. Every method throws `unavailable` when the database
/// is gone or late.
class output_store {
 public:
  explicit output_store(postgres::pool& db) : db_(db) {}

  struct found {
    bool due = false;                       ///< the run's output is still to be moved here
    std::optional<stored_output> stored{};  ///< neither: the run never had any
  };
  task<found> find(uuid run, deadline until);

  /// Up to `most` runs to be moved by the caller; nobody is given them again for ten seconds. Not those that ended
  /// just now: whoever ended them is telling Redis.
  task<std::vector<due_output>> take_due(std::int64_t most, deadline until);
  /// Keeps each unless it is kept already.
  task<> keep(std::vector<stored_output> all, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
