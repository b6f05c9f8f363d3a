#pragma once

#include <atomic>
#include <utility>

namespace svc::public_pages {

/// The pages that an instance may build at the same time, over all workers. Thread-safe; outlives every slot.
class rebuild_slots {
 public:
  static constexpr int most = 4;

  /// A taken slot; empty if all were in use. The destructor gives it back.
  class slot {
   public:
    slot() = default;
    explicit slot(std::atomic<int>* used) : used_(used) {}
    slot(slot&& other) noexcept : used_(std::exchange(other.used_, nullptr)) {}
    slot& operator=(slot&& other) noexcept {
      std::swap(used_, other.used_);
      return *this;
    }
    ~slot() {
      if (used_ != nullptr) used_->fetch_sub(1, std::memory_order_relaxed);
    }
    explicit operator bool() const { return used_ != nullptr; }

   private:
    std::atomic<int>* used_ = nullptr;
  };

  /// Never waits.
  slot take() {
    if (used_.fetch_add(1, std::memory_order_relaxed) < most) return slot(&used_);
    used_.fetch_sub(1, std::memory_order_relaxed);
    return {};
  }
  int used() const { return used_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> used_{0};
};

}  // namespace svc::public_pages
