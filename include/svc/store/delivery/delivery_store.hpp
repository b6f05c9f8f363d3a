#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
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

/// One alert in a message, with the current state of its subject. A value.
struct alert_details {
  uuid id{};
  std::string type{};
  bool ended = false;  ///< the period of degraded or error has ended
  timestamp time{};    ///< when the alert was written
  std::int64_t reminder = 0;
  uuid about{};  ///< id of the outage, the period, the provider or the job's run
  std::string target_type{}, target_name{};
  uuid target{};
  std::string monitor_type{}, monitor_target{};  ///< of monitors only
  std::string custom_message{};                  ///< of monitors and jobs only

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
    std::optional<std::int64_t> duration_ms{};  ///< only if the run has started
  };
  std::optional<run_end> run{};  ///< of jobs only, while the run is kept
  std::string error_message{};   ///< only if no outage contains the error
  std::string certificate{};     ///< JSON; of ssl_expiring only
};

/// An attempt belongs to its claimer for this time.
inline constexpr std::chrono::seconds delivery_lease{60};

/// A message that is due. Until its lease ends, only its claimer may send it. A value.
struct claimed_message {
  uuid id{};     ///< the same in all attempts
  uuid claim{};  ///< id of this attempt
  uuid provider{}, project{};
  std::string project_slug{}, project_name{};
  std::string provider_type{};
  std::optional<std::int64_t> rate_per_minute{};
  std::int64_t attempt = 1;
  bool maybe_repeated = false;                  ///< the receiver may have accepted an earlier attempt
  std::vector<std::string> taken{}, refused{};  ///< recipients of a mail that are settled
  /// Alerts in the order in which they were written. If the message contains a start and its end, only the start is
  /// listed, with its end filled in.
  std::vector<alert_details> alerts{};
  steady::time_point claimed_at{};  ///< no later than the claim; the lease ends `delivery_lease` after it
};

/// The result of an attempt.
struct attempt_end {
  enum class fate : std::uint8_t { sent, waits, dead } state = fate::waits;
  /// The reason for a refusal, as a name of the contract. For a mail that was sent: why some recipients were left
  /// out.
  std::string reason{};
  std::optional<std::int64_t> status{};
  milliseconds next{0};    ///< time until the next attempt, if the message waits
  milliseconds pace{0};    ///< time until the provider's next message may start
  bool uncertain = false;  ///< the receiver may have accepted the message in spite of the failure
  bool disable = false;    ///< the provider is gone for good: the store disables it and writes an
                           ///< audit row
  std::vector<std::string> taken{}, refused{};  ///< recipients that this attempt settled
};

/// The stored end of an attempt.
struct settled_message {
  bool counted = false;  ///< false: the lease had ended, and another attempt counts
  struct alert_fate {
    std::string type{};
    double seconds = 0;  ///< time since the alert was written, or since a user retried it
  };
  std::vector<alert_fate> alerts{};      ///< alerts whose delivery has ended
  milliseconds next_look{0};             ///< time until the provider needs attention again
  std::vector<changed_thing> changes{};  ///< the provider and the alerts; empty unless it counted
};

/// The attempts that are under way in an instance. The limits keep one project and slow mail servers from using all
/// permits. Mails have a pace, and projects take turns: no project starts a second mail before each waiting project
/// has started one. A value.
struct delivery_load {
  static constexpr std::int64_t most_of_project = 8, most_mails = 16;
  /// Projects of a round. The next round starts after this number of projects, even if others still wait.
  static constexpr std::size_t most_turns = 1'000;

  bool has_room(uuid project, std::string_view type) const;
  void add(uuid project, std::string_view type);
  void remove(uuid project, std::string_view type);
  std::vector<uuid> full_projects() const;
  bool mails_full() const { return mails >= most_mails || mail_room <= 0; }
  /// Lets each project start a mail again. Returns false if no project has started a mail in this round.
  bool begin_round();

  std::map<uuid, std::int64_t> of_project{};
  std::int64_t mails = 0;
  std::int64_t mail_room = most_mails;  ///< mails that the pace allows to start now
  std::set<uuid> had_turn{};            ///< projects that have started a mail in this round
};

/// Groups alerts into messages, and keeps each message until its delivery ends. In the whole fleet each provider has
/// at most one message under way, in order.
///
/// The store commits an attempt and its lease before the first byte may leave. The attempt's end counts only while
/// that lease lasts. If a lease ends during an attempt, the message is claimed again under the same id. Worker-local;
/// the pool outlives it. Every method throws `unavailable` when the database is gone or late.
class delivery_store {
 public:
  /// Returns how long the alerts for a provider wait for others, from its type and its own setting, if any.
  using group_rule = std::function<std::chrono::seconds(std::string_view type, std::optional<std::chrono::seconds>)>;

  delivery_store(postgres::pool& db, group_rule group) : db_(db), group_(std::move(group)) {}

  /// Call before the first deletion. The listener gets the projects of deleted alerts, without their ids, after each
  /// COMMIT.
  void when_deleted(change_listener deleted) { deleted_ = std::move(deleted); }

  /// Queues the providers that have waiting alerts.
  task<> wake(deadline until);
  struct claims {
    std::vector<claimed_message> messages{};
    std::int64_t looked_at = 0;  ///< providers that were due
  };
  /// Claims messages of up to `most` providers, as far as the limits of the load allow.
  task<claims> claim(std::int64_t most, deadline until, delivery_load load = {});
  /// Call this after a claim that threw. The providers that the claim had locked become due after one lease.
  task<> put_off(deadline until);
  /// Writes the end of an attempt and all its effects: delivery states of alerts, health and turn of the provider,
  /// and alerts to other providers about it. The caller may repeat a call that threw.
  task<settled_message> settle(claimed_message const& message, attempt_end end, deadline until);

  /// Returns the number of messages under way and of alerts without a message.
  task<std::int64_t> count_waiting(deadline until);
  /// Deletes up to `most` alerts that are older than `age`, whose delivery has ended and whose outage or period is
  /// over. Returns the number deleted.
  task<std::int64_t> delete_alerts(std::chrono::seconds age, std::int64_t most, deadline until);
  /// Deletes up to `most` messages that ended longer ago than `age`. Returns the number deleted.
  task<std::int64_t> delete_messages(std::chrono::seconds age, std::int64_t most, deadline until);

 private:
  postgres::pool& db_;
  group_rule group_;
  change_listener deleted_{};
  std::vector<uuid> tried_{};  ///< providers of the newest claim
};

}  // namespace svc::store
