#pragma once

#include <cstddef>
#include <set>
#include <utility>

namespace svc::access {

/// A set that remembers the keys used last: at least `most` of them, and at most twice as many. Keys are kept
/// in two generations. A full young generation replaces the old one, whose keys are dropped unless they were
/// used meanwhile. Worker-local.
template <class Key>
class recent_keys {
 public:
  explicit recent_keys(std::size_t most) : most_(most) {}

  /// Returns true if the key is remembered, and counts this as a use.
  bool use(Key const& key) {
    if (young_.contains(key)) return true;
    if (old_.erase(key) == 0) return false;
    add(key);
    return true;
  }
  void add(Key const& key) {
    if (young_.size() >= most_) old_ = std::exchange(young_, {});
    young_.insert(key);
  }
  void remove(Key const& key) {
    young_.erase(key);
    old_.erase(key);
  }
  std::size_t size() const { return young_.size() + old_.size(); }

 private:
  std::size_t const most_;
  std::set<Key> young_{}, old_{};
};

}  // namespace svc::access
