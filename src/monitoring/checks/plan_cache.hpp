#pragma once

#include "svc/core/account.hpp"
#include "svc/core/uuid.hpp"
#include "svc/monitoring/checks/config.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

namespace svc::checks {

/// How a monitor is checked: its configuration, read once for each version. A value.
struct check_plan {
  std::int64_t check_version = 0;
  std::chrono::seconds interval{};
  std::shared_ptr<checks::check_config const> read{};  ///< null: it cannot be read
  std::string fault{};                                 ///< why
  std::size_t bytes = 0;                               ///< memory that it takes at most
};

/// The plans of one check worker, by monitor. Keeps at most so many bytes and gives up the least recently used plan
/// first: its monitor's next check compiles it again. A project that has more than a quarter of these bytes gives up
/// its own plans, so that its monitors do not cost others theirs. Worker-local.
class plan_cache {
 public:
  /// About 80 000 monitors without regular expressions, or 1 300 with one small expression each.
  static constexpr std::size_t usual_most_bytes = std::size_t{128} << 20;

  /// Terms of the account in which `workers` caches book what they hold.
  static account_terms terms(std::size_t workers) {
    return {.name = "plan_bytes",
            .total = usual_most_bytes * std::max<std::size_t>(1, workers),
            .project_share = usual_most_bytes / 4,
            .rule = share_rule::contended};
  }

  /// `book`: outlives this; null for none.
  explicit plan_cache(std::size_t most_bytes = usual_most_bytes, account* book = nullptr)
      : most_bytes_(most_bytes), book_(book) {}
  plan_cache(plan_cache const&) = delete;
  plan_cache& operator=(plan_cache const&) = delete;
  ~plan_cache();

  /// Null if there is none of this version and interval. Valid until the next change.
  check_plan const* find(uuid const& monitor, std::int64_t check_version, std::chrono::seconds interval);
  /// Replaces the monitor's plan. A plan that is larger than the cache is not kept.
  void keep(uuid const& project, uuid const& monitor, check_plan plan);
  void forget(uuid const& monitor);

  std::size_t bytes() const { return bytes_; }
  std::size_t size() const { return plans_.size(); }

 private:
  struct entry {
    uuid project{}, monitor{};
    check_plan plan{};
    std::list<uuid>::iterator in_project{};
  };
  using entries = std::list<entry>;
  struct project_plans {
    std::list<uuid> used{};  ///< monitors, the most recently used first
    std::size_t bytes = 0;
  };

  void drop(entries::iterator entry);
  void make_room(uuid const& project, std::size_t bytes);

  std::size_t most_bytes_;
  account* book_;
  std::size_t bytes_ = 0;
  entries used_{};  ///< the most recently used first
  std::unordered_map<uuid, entries::iterator, uuid_hash> plans_{};
  std::unordered_map<uuid, project_plans, uuid_hash> projects_{};
};

}  // namespace svc::checks
