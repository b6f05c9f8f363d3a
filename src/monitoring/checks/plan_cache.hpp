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

/// A monitor's configuration in the form that checks use, read once for each version. A value.
struct check_plan {
  std::int64_t check_version = 0;
  std::chrono::seconds interval{};
  std::shared_ptr<check_config const> read{};  ///< null: the configuration is unreadable
  std::string fault{};                         ///< the reason
  std::size_t bytes = 0;                       ///< maximum memory of the plan
};

/// The plans of one check worker, by monitor. Keeps at most `most_bytes` and drops the least recently used plan
/// first; the next check of its monitor compiles it again. A project with more than a quarter of these bytes loses
/// its own plans, so that its monitors do not displace plans of others. Worker-local.
class plan_cache {
 public:
  /// Room for about 80 000 monitors without regular expressions, or 1 300 with one small expression each.
  static constexpr std::size_t usual_most_bytes = std::size_t{128} << 20;

  /// Returns the terms of the account in which `workers` caches book their memory.
  static account_terms terms(std::size_t workers) {
    return {.name = "plan_bytes",
            .total = usual_most_bytes * std::max<std::size_t>(1, workers),
            .project_share = usual_most_bytes / 4,
            .rule = share_rule::contended};
  }

  /// `book` outlives the cache; null for none.
  explicit plan_cache(std::size_t most_bytes = usual_most_bytes, account* book = nullptr)
      : most_bytes_(most_bytes), book_(book) {}
  plan_cache(plan_cache const&) = delete;
  plan_cache& operator=(plan_cache const&) = delete;
  ~plan_cache();

  /// Returns the plan of this version and interval, or null. Valid until the next change.
  check_plan const* find(uuid const& monitor, std::int64_t check_version, std::chrono::seconds interval);
  /// Replaces the monitor's plan. A plan that is larger than the cache is not kept.
  void keep(uuid const& project, uuid const& monitor, check_plan plan);
  void remove(uuid const& monitor);

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
    std::list<uuid> used{};  ///< monitors, most recently used first
    std::size_t bytes = 0;
  };

  void drop(entries::iterator entry);
  void make_room(uuid const& project, std::size_t bytes);

  std::size_t most_bytes_;
  account* book_;
  std::size_t bytes_ = 0;
  entries used_{};  ///< most recently used first
  std::unordered_map<uuid, entries::iterator, uuid_hash> plans_{};
  std::unordered_map<uuid, project_plans, uuid_hash> projects_{};
};

}  // namespace svc::checks
