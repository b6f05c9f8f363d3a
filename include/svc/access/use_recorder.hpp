#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace svc::store {
class last_use_store;
}

namespace svc::access {

/// Collects when tokens are used and writes it in batches: a request costs a map entry, not a statement.
/// Bounded. Worker-local.
class use_recorder {
 public:
  explicit use_recorder(store::last_use_store& store) : store_(store) {}

  void note(uuid const& token, timestamp time, std::string_view ip);
  /// Writes what was collected. When the write fails, keeps the uses for the next flush, except of tokens used again
  /// since, and rethrows.
  task<> flush(deadline until);

 private:
  store::last_use_store& store_;
  std::unordered_map<uuid, std::pair<timestamp, std::string>, uuid_hash> used_;
};

}  // namespace svc::access
