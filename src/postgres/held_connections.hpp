#pragma once

#include "postgres/pool_policy.hpp"
#include "svc/core/account.hpp"

#include <unordered_map>

namespace svc::postgres {

/// Counts the connections of one pool by holder. Worker-local, owned by the pool.
class held_connections {
 public:
  /// `shown` counts the connections that all pools of the process lend, for operators. It may be null; otherwise it
  /// outlives this object.
  held_connections(int size, account* shown) : size_(size), shown_(shown) {}

  void take(account_owner const& owner);
  void give_back(account_owner const& owner);
  holdings of(account_owner const& owner) const;
  /// Returns how many more connections an owner may hold.
  int room(account_owner const& owner, bool tenants_wait) const;
  /// Counts a wait of an owner for its share, and logs it at most once a minute.
  void note_exhausted(account_owner const& owner) const;

 private:
  using counts = std::unordered_map<uuid, int, uuid_hash>;
  static int count(counts const& counts, uuid const& id);
  static void subtract(counts& counts, uuid const& id);

  int size_;
  account* shown_;
  int all_ = 0, common_ = 0;
  counts projects_{}, organisations_{};  ///< without zeros
};

}  // namespace svc::postgres
