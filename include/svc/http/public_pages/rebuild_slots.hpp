#pragma once

#include "svc/core/uuid.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace svc::public_pages {

/// The pages that an instance may build at the same time, over all workers. Large pages of one project take half of
/// the slots at most, so that those of others are built in time. Thread-safe; outlives every slot.
class rebuild_slots {
 public:
  static constexpr int most = 4, most_of_owner = 2;

  /// A taken slot; empty if none was free. The destructor gives it back.
  class slot {
   public:
    slot() = default;
    slot(rebuild_slots* slots, uuid const& owner) : slots_(slots), owner_(owner) {}
    slot(slot&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)), owner_(other.owner_) {}
    slot& operator=(slot&& other) noexcept {
      std::swap(slots_, other.slots_);
      std::swap(owner_, other.owner_);
      return *this;
    }
    ~slot() {
      if (slots_ != nullptr) slots_->give_back(owner_);
    }
    explicit operator bool() const { return slots_ != nullptr; }

   private:
    rebuild_slots* slots_ = nullptr;
    uuid owner_{};
  };

  /// Never waits. The owner is the page's project, or the page itself as long as nobody knows its project.
  slot take(uuid const& owner) {
    std::lock_guard const lock(mutex_);
    auto const end = owners_.begin() + used_;
    if (used_ == most || std::count(owners_.begin(), end, owner) >= most_of_owner) return {};
    owners_[static_cast<std::size_t>(used_++)] = owner;
    return {this, owner};
  }
  int used() const {
    std::lock_guard const lock(mutex_);
    return used_;
  }

 private:
  void give_back(uuid const& owner) {
    std::lock_guard const lock(mutex_);
    auto const end = owners_.begin() + used_;
    auto const found = std::find(owners_.begin(), end, owner);
    *found = *(end - 1);
    --used_;
  }

  mutable std::mutex mutex_;
  std::array<uuid, most> owners_{};  ///< the first `used_`
  int used_ = 0;
};

}  // namespace svc::public_pages
