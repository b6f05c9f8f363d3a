#pragma once

#include "svc/core/deadline.hpp"
#include "svc/domain/instance.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::access {

/// Computes the number that limits are divided by while Redis is lost, from the counts of PostgreSQL and Redis at
/// each heartbeat. The class is pure: times are parameters, by a steady clock. The object belongs to one worker.
///
/// The larger of the last counts of both stores applies. A larger number applies at once. A smaller one applies only
/// after both stores have answered each heartbeat for `agreement` with it. So while a store is unreachable the count
/// only grows.
///
/// **Why shares never exceed twice a limit L.** An instance with the count n admits L / n. So the relevant number is
/// the sum of 1 / n over all instances that decide by themselves.
/// - Instances that reach PostgreSQL are in its list, and read it after each of their own writes. Their n is at least
///   the number of these instances, so their sum is at most 1. The others do not know a newcomer before their next
///   heartbeat. Until then the newcomer divides by the square of its own count. The k-th newcomer next to m other
///   instances counts at least m + k, and 1/(m+1)² + 1/(m+2)² + ... < 1/m (without others: < 1.65). An instance that
///   returns after its entry has expired is a newcomer again. An instance that loses Redis has a heartbeat at once,
///   so that it knows recent newcomers. An instance that starts without Redis does not serve before the others have
///   counted it (app/maintenance/instance_maintenance.hpp).
/// - Instances that reach neither store keep their count, which is at least the number of instances when Redis was
///   lost. Their sum is at most 1, however their connections to PostgreSQL fail and return meanwhile. So a partition,
///   which leaves one side with a smaller count and the other with its earlier one, has at most 1 on each side.
///
/// The bound has exceptions. Instances that lose both stores one after another, each after the others have counted
/// themselves again, add 1/n + 1/(n-1) + ... A second after that they admit no token (access/decision.hpp), so this
/// concerns only limits by address. A share is at least one request, so a limit smaller than n admits n. Instances of
/// versions that do not count themselves divide by their configuration.
class instance_count {
 public:
  enum class registry : std::uint8_t { postgres, redis };
  enum class source : std::uint8_t {
    configuration,  ///< no store has answered yet
    stores,         ///< the larger count of the stores that answer
    earlier,        ///< more than `stores`: a smaller count is not agreed for long enough, or its store does not
                    ///< answer
    newcomer        ///< the square of the count: others may not have counted this instance yet
  };

  /// The time during which both stores must have reported a smaller number.
  static constexpr std::chrono::seconds agreement{10};
  /// The time until the others have read a list with a newcomer.
  static constexpr std::chrono::seconds newcomer_time = 2 * instance_interval;

  /// `configured` is the number to assume before a store has answered.
  explicit instance_count(int configured);

  /// Records that a store has registered this instance, and then reported how many instances exist.
  void heard(registry registry, int instances, steady::time_point now);
  /// Records that the store did not answer, or is not trusted.
  void missed(registry registry);

  /// The number of known instances: at least 1.
  int count() const { return count_ == 0 ? configured_ : count_; }
  /// Returns the number that limits are divided by: the count, or its square.
  int divisor(steady::time_point now) const;
  source origin(steady::time_point now) const;
  /// Returns the last report of a store, or `std::nullopt` if there was none or it no longer applies.
  std::optional<int> said(registry registry) const;

 private:
  struct account {
    bool answers = false;
    int said = 0;  ///< 0: no report yet
    steady::time_point time{};
  };
  account& of(registry which) { return stores_[static_cast<std::size_t>(which)]; }
  account const& of(registry which) const { return stores_[static_cast<std::size_t>(which)]; }
  int larger() const;
  bool is_newcomer(steady::time_point now) const;
  void settle(steady::time_point now);

  int configured_;
  int count_ = 0;  ///< 0: no store has answered
  std::array<account, 2> stores_{};
  std::optional<steady::time_point> came_{};  ///< the time of this instance's arrival in PostgreSQL's list
  /// The time since when both stores have reported less than the count. `most_since_` is the highest report since.
  std::optional<steady::time_point> less_since_{};
  int most_since_ = 0;
};

std::string_view name_of(instance_count::source source);

}  // namespace svc::access
