#pragma once

#include "svc/core/uuid.hpp"

#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

namespace svc::public_pages {

/// Values in memory that were used last, up to a number of bytes. One project keeps a quarter of the bytes at most,
/// so that it cannot push out all others. Worker-local.
template <class Key, class Value, class Hash = std::hash<Key>>
class owner_cache {
 public:
  explicit owner_cache(std::size_t most) : most_(most) {}

  /// Returns the value and counts this as a use; null if there is none.
  std::shared_ptr<Value> find(Key const& key) {
    auto const found = index_.find(key);
    if (found == index_.end()) return nullptr;
    all_.splice(all_.begin(), all_, found->second);
    return found->second->value;
  }

  /// Keeps the value in place of another one with the key, and drops those that were not used for longest. A value
  /// that exceeds the share of a project is not kept.
  void keep(Key const& key, uuid const& owner, std::shared_ptr<Value> value, std::size_t bytes) {
    erase(key);
    if (bytes > share()) return;
    while (owner_bytes(owner) + bytes > share()) drop_last_of(owner);
    while (held_ + bytes > most_) drop(std::prev(all_.end()));
    all_.push_front({key, owner, std::move(value), bytes});
    index_[key] = all_.begin();
    held_ += bytes;
    by_owner_[owner] += bytes;
  }

  void erase(Key const& key) {
    if (auto const found = index_.find(key); found != index_.end()) drop(found->second);
  }

  std::size_t held() const { return held_; }
  std::size_t size() const { return all_.size(); }
  std::size_t share() const { return most_ / 4; }

 private:
  struct entry {
    Key key;
    uuid owner;
    std::shared_ptr<Value> value;
    std::size_t bytes;
  };
  using position = typename std::list<entry>::iterator;

  std::size_t owner_bytes(uuid const& owner) const {
    auto const found = by_owner_.find(owner);
    return found == by_owner_.end() ? 0 : found->second;
  }

  void drop_last_of(uuid const& owner) {
    auto each = std::prev(all_.end());
    while (each->owner != owner) --each;
    drop(each);
  }

  void drop(position each) {
    held_ -= each->bytes;
    auto const owner = by_owner_.find(each->owner);
    owner->second -= each->bytes;
    if (owner->second == 0) by_owner_.erase(owner);
    index_.erase(each->key);
    all_.erase(each);
  }

  std::size_t const most_;
  std::size_t held_ = 0;
  std::list<entry> all_{};  ///< the one used last comes first
  std::unordered_map<Key, position, Hash> index_{};
  std::unordered_map<uuid, std::size_t, uuid_hash> by_owner_{};
};

}  // namespace svc::public_pages
