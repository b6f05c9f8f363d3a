#pragma once

#include "svc/core/uuid.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace svc::store {

/// Counts the triggers that wait with the same key. A batch takes one trigger of each key, so without a bound the
/// triggers of one key would fill the requests that a worker has in progress. Pure; owned by a batcher.
class key_waits {
 public:
  enum class kind : std::uint8_t { idempotency, dedup };
  /// Retries of one request: a client that has given up and asks again.
  static constexpr std::size_t most_idempotency = 8;
  /// Different clients with one reason, such as a burst of pushes: 64 batches of about 4 ms are a quarter of a
  /// second.
  static constexpr std::size_t most_dedup = 64;

  /// Whose keys: those of another project's requests never count, whatever job they name.
  struct owner {
    uuid project;
    uuid job;
    auto operator<=>(owner const&) const = default;
  };

  /// False: as many wait already. An empty key is no key and is always let in. Each call that returned true needs a
  /// call of `leave`.
  bool enter(owner const& who, kind which, std::string const& key) {
    if (key.empty()) return true;
    auto& count = waiting_[{who, which, key}];
    if (count >= (which == kind::idempotency ? most_idempotency : most_dedup)) return false;
    ++count;
    return true;
  }
  void leave(owner const& who, kind which, std::string const& key) {
    auto const found = waiting_.find({who, which, key});
    if (found != waiting_.end() && --found->second == 0) waiting_.erase(found);
  }
  /// Number of different keys.
  std::size_t keys() const { return waiting_.size(); }

 private:
  std::map<std::tuple<owner, kind, std::string>, std::size_t> waiting_{};
};

}  // namespace svc::store
