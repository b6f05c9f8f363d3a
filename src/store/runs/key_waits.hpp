#pragma once

#include "svc/core/uuid.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace svc::store {

/// Counts the requests for runs that wait with the same key. One request of each key makes progress at a time, so
/// without a bound the requests of one key would take up all of a worker's requests in progress. Pure; owned by a
/// store.
class key_waits {
 public:
  enum class kind : std::uint8_t { idempotency, dedup };
  /// Retries of one request: a client that has given up and asks again.
  static constexpr std::size_t most_idempotency = 8;
  /// Different clients with one reason, such as a burst of pushes: 64 batches of about 4 ms are a quarter of a
  /// second.
  static constexpr std::size_t most_dedup = 64;

  /// The owner of keys. The keys of another project's requests never count, whatever job these requests name.
  struct owner {
    uuid project;
    uuid job;  ///< or the test that is executed without a job
    auto operator<=>(owner const&) const = default;
  };

  /// Returns false if the most requests that may wait with the key wait already. An empty key is no key and is always
  /// let in. Each call that returned true needs a call of `leave`.
  bool enter(owner const& owner, kind which, std::string const& key) {
    if (key.empty()) return true;
    auto& count = waiting_[{owner, which, key}];
    if (count >= (which == kind::idempotency ? most_idempotency : most_dedup)) return false;
    ++count;
    return true;
  }
  void leave(owner const& owner, kind which, std::string const& key) {
    auto const found = waiting_.find({owner, which, key});
    if (found != waiting_.end() && --found->second == 0) waiting_.erase(found);
  }
  /// Number of different keys.
  std::size_t keys() const { return waiting_.size(); }

 private:
  std::map<std::tuple<owner, kind, std::string>, std::size_t> waiting_{};
};

/// One waiting request's part of `key_waits`, whichever way the request ends. The counts outlive it.
class key_wait {
 public:
  key_wait(key_waits& counts, key_waits::owner const& owner, key_waits::kind kind, std::string key)
      : counts_(counts),
        owner_(owner),
        kind_(kind),
        key_(std::move(key)),
        counted_(counts.enter(owner, kind, key_)) {}
  key_wait(key_wait const&) = delete;
  key_wait& operator=(key_wait const&) = delete;
  ~key_wait() {
    if (counted_) counts_.leave(owner_, kind_, key_);
  }

  /// True if too many requests wait with the same key already.
  bool crowded() const { return !counted_; }

 private:
  key_waits& counts_;
  key_waits::owner owner_;
  key_waits::kind kind_;
  std::string key_;
  bool counted_;
};

}  // namespace svc::store
