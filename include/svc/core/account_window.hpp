#pragma once

#include "svc/core/account.hpp"

#include <array>
#include <unordered_map>

namespace svc {

/// Charges the amounts that owners spend, such as processor time, to an account for the length of a window.
/// The account then holds the amounts of the last window and of up to one slice more. The window forgets an
/// owner that spends nothing for that long. Pure: callers pass the time. Worker-local; several windows may
/// share one account, which outlives them.
class account_window {
 public:
  static constexpr std::size_t slices = 8;
  /// The most owners in the window. The amounts of further owners are charged only to the total, so memory is
  /// bounded.
  static constexpr std::size_t most_owners = 4096;

  account_window(account& account, steady::duration window, steady::time_point now);
  account_window(account_window const&) = delete;
  account_window& operator=(account_window const&) = delete;
  ~account_window();

  void spend(account_owner const& owner, std::size_t amount, steady::time_point now);
  /// Releases the amounts that were spent before the window. `spend` does so too.
  void roll(steady::time_point now);
  /// Returns the amount that this window has charged for a project, or for all.
  std::size_t spent_by(uuid const& project) const;
  std::size_t spent() const { return spent_; }
  /// Returns the number of projects that have spent something within the window.
  std::size_t owners() const { return sums_.size(); }

 private:
  struct slice {
    std::unordered_map<uuid, std::size_t, uuid_hash> owners{};  ///< by project
    std::size_t nobody = 0;
  };
  struct sum {
    account_owner owner;
    std::size_t amount = 0;
  };
  void release(slice& slice);

  account& account_;
  steady::duration length_;  ///< length of a slice
  steady::time_point ends_;  ///< end of the current slice
  std::size_t position_ = 0;
  std::array<slice, slices> slices_{};
  std::unordered_map<uuid, sum, uuid_hash> sums_{};  ///< sums over all slices, by project
  std::size_t spent_ = 0;
};

}  // namespace svc
