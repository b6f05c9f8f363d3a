#include "svc/access/record_cache.hpp"

#include <algorithm>

namespace svc::access {

void record_cache::erase(map::iterator at) {
  by_use_.erase(at->second.use);
  entries_.erase(at);
}

held_record record_cache::find(sha256_digest const& digest, timestamp now) {
  auto const found = entries_.find(digest);
  if (found == entries_.end()) return {};
  if (!young_enough(*found->second.held.record, now)) {
    erase(found);
    return {};
  }
  by_use_.splice(by_use_.begin(), by_use_, found->second.use);
  return found->second.held;
}

void record_cache::keep(sha256_digest const& digest, held_record record) {
  if (auto const found = entries_.find(digest); found != entries_.end()) {
    auto& held = found->second.held;
    if (newer(*record.record, *held.record)) {
      held = std::move(record);
    } else if (record.record->read_at == held.record->read_at) {
      held.unpublished = held.unpublished && record.unpublished;
    }
    return;
  }
  if (entries_.size() >= capacity_) erase(entries_.find(by_use_.back()));
  by_use_.push_front(digest);
  entries_.emplace(digest, entry{std::move(record), by_use_.begin()});
}

void record_cache::forget(std::vector<subject_epoch> const& touched) {
  std::erase_if(entries_, [&](auto const& item) {
    auto const& who = item.second.held.record->who;
    bool const old = std::any_of(touched.begin(), touched.end(), [&](subject_epoch const& t) {
      return t.subject == who.subject && who.epoch < t.epoch;
    });
    if (old) by_use_.erase(item.second.use);
    return old;
  });
}

void record_cache::forget_all() {
  entries_.clear();
  by_use_.clear();
}

}  // namespace svc::access
