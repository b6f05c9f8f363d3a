#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// One thing that a message tells, with what is known of it now. A value.
struct told_alert {
  uuid id{};
  std::string type{};
  bool ended = false;  ///< of a period of degraded or error
  timestamp time{};    ///< when it was written
  std::int64_t reminder = 0;
  uuid about{};  ///< the outage, the period, the provider, the run of a job
  std::string target_type{}, target_name{};
  uuid target{};
  std::string monitor_type{}, monitor_target{};  ///< of monitors
  std::string custom_message{};                  ///< of monitors and jobs

  struct outage_times {
    timestamp started_at{};
    std::optional<timestamp> ended_at{};
    std::string end_reason{};
    checks::failure cause{checks::code::internal};
    std::string location{};
    std::vector<std::string> locations{};
  };
  std::optional<outage_times> outage{};
  struct run_end {
    std::string status{};
    std::optional<std::int64_t> duration_ms{};  ///< of one that began
  };
  std::optional<run_end> run{};  ///< of jobs, while the run is kept
  std::string error_message{};   ///< where no outage tells it
  std::string certificate{};     ///< JSON; of ssl_expiring
};

/// For how long an attempt belongs to who claimed it.
inline constexpr std::chrono::seconds delivery_lease{60};

/// A message that is to be sent now, and by nobody else until its lease ends. A value.
struct claimed_message {
  uuid id{};     ///< the same in all attempts
  uuid claim{};  ///< of this attempt
  uuid provider{}, project{};
  std::string project_slug{}, project_name{};
  std::string provider_type{};
  std::optional<std::int64_t> rate_per_minute{};
  std::int64_t attempt = 1;
  bool maybe_repeated = false;                  ///< an attempt before may have been taken
  std::vector<std::string> taken{}, refused{};  ///< of a mail's recipients those that are settled
  /// In the order in which they were written; of an end whose begin is told too only the begin, with its end known.
  std::vector<told_alert> alerts{};
  steady::time_point claimed_at{};  ///< not later than that; its lease ends `delivery_lease` later
};

/// What has come of an attempt.
struct attempt_end {
  enum class fate : std::uint8_t { sent, waits, dead } state = fate::waits;
  /// Why it was not taken, by the contract's names; of a mail that was sent, why some recipients were left out.
  std::string reason{};
  std::optional<std::int64_t> status{};
  milliseconds next{0};                         ///< of one that waits: until its next attempt
  milliseconds pace{0};                         ///< until the provider's next message may begin
  bool uncertain = false;                       ///< it may have been taken all the same
  bool disable = false;                         ///< the provider is gone for good: it is disabled, audited
  std::vector<std::string> taken{}, refused{};  ///< recipients that this attempt settled
};

/// What was written of an attempt's end.
struct settled_message {
  bool counted = false;  ///< otherwise the lease had ended, and another attempt counts
  struct alert_fate {
    std::string type{};
    double seconds = 0;  ///< since it was written, or somebody had it sent again
  };
  std::vector<alert_fate> alerts{};  ///< whose fate is known now
  milliseconds next_look{0};         ///< until something can be done for the provider again
};

/// Attempts under way in an instance: neither one project nor slow mail servers take all the room there is. Mails
/// have a pace, and projects take turns at it: none begins a second mail before each other project that waits has
/// begun one. A value.
struct delivery_load {
  static constexpr std::int64_t most_of_project = 8, most_mails = 16;
  /// Projects of a round; the next one begins behind them, whoever still waits.
  static constexpr std::size_t most_turns = 1'000;

  bool has_room(uuid project, std::string_view type) const;
  void add(uuid project, std::string_view type);
  void remove(uuid project, std::string_view type);
  std::vector<uuid> full_projects() const;
  bool mails_full() const { return mails >= most_mails || mail_room <= 0; }
  /// Lets each project begin a mail again. False if none has begun one in this round.
  bool begin_round();

  std::map<uuid, std::int64_t> of_project{};
  std::int64_t mails = 0;
  std::int64_t mail_room = most_mails;  ///< mails that may begin now, by the pace
  std::set<uuid> had_turn{};            ///< projects that have begun a mail in this round
};

/// Alerts into messages, and messages to their end: one under way for each provider in the whole fleet, in order.
///
/// An attempt is written, with its lease, before its first byte may leave; its end counts while the lease is its own.
/// What was being sent when a lease ended is claimed again with its id. Worker-local; the pool outlives it. Every
/// method throws `unavailable` when the database is gone or late.
class delivery_store {
 public:
  /// For how long alerts for a provider of this type, which has chosen this or nothing, wait for others.
  using group_rule = std::function<std::chrono::seconds(std::string_view type, std::optional<std::chrono::seconds>)>;

  delivery_store(postgres::pool& db, group_rule group) : db_(db), group_(std::move(group)) {}

  /// Puts providers whose alerts wait into the queue.
  task<> wake(deadline until);
  struct claims {
    std::vector<claimed_message> messages{};
    std::int64_t looked_at = 0;  ///< providers whose time had come
  };
  /// Claims messages of up to `most` providers, as far as there is room beside the load.
  task<claims> claim(std::int64_t most, deadline until, delivery_load load = {});
  /// After a claim that threw: the providers it had locked are not due before a lease has passed.
  task<> put_off(deadline until);
  /// Writes an attempt's end with all that follows: the alerts' fate, the provider's health, its turn, and what other
  /// providers are told of it. May be called again when it threw.
  task<settled_message> settle(claimed_message const& message, attempt_end end, deadline until);

  /// Of messages under way and alerts without one.
  task<std::int64_t> count_waiting(deadline until);
  /// Deletes up to `most` alerts that are older than `age`, whose fate is known and whose outage or period is over.
  /// Says how many.
  task<std::int64_t> delete_alerts(std::chrono::seconds age, std::int64_t most, deadline until);
  /// Deletes up to `most` messages that ended longer ago than `age`. Says how many.
  task<std::int64_t> delete_messages(std::chrono::seconds age, std::int64_t most, deadline until);

 private:
  postgres::pool& db_;
  group_rule group_;
  std::vector<uuid> tried_{};  ///< providers of the newest claim
};

}  // namespace svc::store
