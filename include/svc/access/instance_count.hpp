#pragma once

#include "svc/core/deadline.hpp"
#include "svc/domain/instance.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::access {

/// By how many instances a limit is divided while Redis is lost, from what PostgreSQL and Redis say at each
/// heartbeat. Pure: times come from the caller, by a steady clock. Belongs to one worker.
///
/// The larger of what both said last counts; a larger number at once, a smaller one only after both stores have
/// answered each heartbeat for `agreement` and said so. So while a store is away it only grows.
///
/// **Why shares never exceed twice a limit L.** An instance admits L / n by its count n, so what matters is the sum
/// of 1 / n over all instances that decide by themselves.
/// - Those that reach PostgreSQL are in its list, and read it after each write of their own: n is at least the number
///   of them, and their sum at most 1. Who has just come is not known to the others before their next heartbeat.
///   Until then it divides by the square of what it sees: the k-th that comes to m others sees at least m + k, and
///   1/(m+1)² + 1/(m+2)² + ... < 1/m (without others: < 1.65). An instance that returns after its entry has ended
///   comes anew.
///   Whoever loses Redis has a heartbeat at once, so that it knows who came a moment before; and who starts without
///   Redis does not serve before the others have counted it (app/maintenance/instance_upkeep.hpp).
/// - Those that reach neither store keep their count, which is at least that of all that were there when Redis was
///   lost: the sum over these is at most 1, however their links to PostgreSQL fail and return meanwhile. So a
///   partition, which leaves one side with a smaller count and the other with its earlier one, has at most 1 on each.
///
/// Beyond it: instances that lose both stores one after another, each after the others have counted themselves anew,
/// add 1/n + 1/(n-1) + ...; but a second after that they let in no token (access/decision.hpp), so that is a matter
/// of limits by address alone. A share is at least one request, so a limit smaller than n admits n. And instances of
/// versions that do not count themselves divide by their configuration.
class instance_count {
 public:
  enum class registry : std::uint8_t { postgres, redis };
  enum class source : std::uint8_t {
    configuration,  ///< no store has been heard yet
    stores,         ///< the larger of what those say that answer
    earlier,        ///< more than that: not agreed for long enough, or said by a store that does not answer
    newcomer        ///< the square of it: others may not have counted this instance yet
  };

  /// How long both stores must have said a smaller number.
  static constexpr std::chrono::seconds agreement{10};
  /// Until the others have read a list with a newcomer.
  static constexpr std::chrono::seconds newcomer_time = 2 * instance_interval;

  /// `configured`: what to assume before a store has been heard.
  explicit instance_count(int configured);

  /// A store was told of this instance, and then said how many there are.
  void heard(registry registry, int instances, steady::time_point now);
  /// It did not answer, or is not trusted.
  void missed(registry registry);

  /// How many there are, as far as is known: at least 1.
  int count() const { return count_ == 0 ? configured_ : count_; }
  /// What limits are divided by: the count, or its square.
  int divisor(steady::time_point now) const;
  source origin(steady::time_point now) const;
  /// What a store said last; nothing if that was never, or is no longer so.
  std::optional<int> said(registry registry) const;

 private:
  struct account {
    bool answers = false;
    int said = 0;  ///< 0: never heard
    steady::time_point time{};
  };
  account& of(registry which) { return stores_[static_cast<std::size_t>(which)]; }
  account const& of(registry which) const { return stores_[static_cast<std::size_t>(which)]; }
  int larger() const;
  bool is_newcomer(steady::time_point now) const;
  void settle(steady::time_point now);

  int configured_;
  int count_ = 0;  ///< 0: no store has been heard
  std::array<account, 2> stores_{};
  std::optional<steady::time_point> came_{};  ///< to PostgreSQL's list
  /// Since when both have said less than the count, and the most that either has said since.
  std::optional<steady::time_point> less_since_{};
  int most_since_ = 0;
};

std::string_view name_of(instance_count::source source);

}  // namespace svc::access
