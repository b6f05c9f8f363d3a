// Accounts of resources that tenants share: they count and limit the amount of each tenant, and show it to
// operators.
#pragma once

#include "svc/core/account_owner.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/log.hpp"
#include "svc/core/shared_counts.hpp"
#include "svc/core/uuid.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace svc {

/// The rule by which a share limits its owner.
enum class share_rule : std::uint8_t {
  always,     ///< No owner ever holds more than its share.
  contended,  ///< The share applies only while others wait. Otherwise one owner may hold everything.
  remainder,  ///< Like `always`; in addition, no project holds more than what remains free. A newcomer finds room.
};

/// The name of an account and the amounts that it grants: bytes, slots or nanoseconds.
struct account_terms {
  std::string_view name;  ///< a constant; the label `account` of the metrics
  std::size_t total = 0;
  std::size_t project_share = 0;
  std::size_t organisation_share = SIZE_MAX;
  share_rule rule = share_rule::always;
  log::field_name owner_field = "project";  ///< the log's name for `account_owner::project`
  double per_unit = 1;                      ///< amounts in one unit of the metrics: 1e9 for seconds
};

/// The amounts that an account, a project and its organisation hold.
struct account_sums {
  std::size_t total = 0, project = 0, organisation = 0;
};

enum class account_decision : std::uint8_t { granted, total_exhausted, project_exhausted, organisation_exhausted };

/// Decides whether `sums`, which include the wanted amount, may be held. Pure.
account_decision decide(account_terms const& terms, account_sums const& sums, bool others_wait);

/// One shared resource of the process. Owners are counted in tables of a fixed size, so an owner that holds nothing
/// costs nothing. A refusal is counted, and logged with the owner at most once a minute for each owner.
/// Thread-safe; outlives everything that holds a part of it.
class account {
 public:
  /// Seconds between two log lines about one owner.
  static constexpr std::int64_t log_interval = 60;

  explicit account(account_terms const& terms) : terms_(terms) {}
  account(account const&) = delete;
  account& operator=(account const&) = delete;

  account_terms const& terms() const { return terms_; }

  /// Holds `amount` more and returns true, if that is granted. A refusal changes only the count of refusals.
  bool hold(account_owner const& owner, std::size_t amount, bool others_wait = false);
  /// Holds `amount` more unconditionally, because it has been spent already. Returns the new sums.
  account_sums charge(account_owner const& owner, std::size_t amount);
  void release(account_owner const& owner, std::size_t amount);
  /// Decides about `amount` more and holds nothing. Counts no refusal.
  account_decision decide_for(account_owner const& owner, std::size_t amount, bool others_wait) const;
  /// Counts a refusal that the caller decided, and logs it if it is due. Returns true if it was logged.
  bool refuse(account_owner const& owner, account_decision decision, steady::time_point now = steady::now());

  std::size_t held() const { return held_.load(std::memory_order_relaxed); }
  account_sums sums_of(account_owner const& owner) const;
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  /// Owners that share a slot of `logged_` share its minute, so that any number of owners causes a bounded
  /// log.
  static constexpr std::size_t counter_slots = 4096, log_slots = 256;

  bool due_for_log(shared_counts::key owner, steady::time_point now);

  account_terms const terms_;
  std::atomic<std::size_t> held_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  shared_counts owners_{counter_slots};
  std::array<std::atomic<std::int64_t>, log_slots> logged_{};  ///< second of the last line, 0 for none
};

/// A part of an account that one owner holds. The destructor gives it back. Thread-compatible; the account
/// outlives it.
class account_share {
 public:
  account_share(account& account, account_owner const& owner) : account_(&account), owner_(owner) {}
  account_share(account_share&& other) noexcept
      : account_(other.account_), owner_(other.owner_), held_(std::exchange(other.held_, 0)) {}
  account_share& operator=(account_share&&) = delete;
  ~account_share() { hold(0); }

  /// Holds `amount` from now on. Returns false if that is refused; nothing has changed then. Less is always granted.
  bool hold(std::size_t amount, bool others_wait = false);
  std::size_t held() const { return held_; }

 private:
  account* account_;
  account_owner owner_;
  std::size_t held_ = 0;
};

}  // namespace svc
