#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/monitoring/heartbeats/heartbeat.hpp"
#include "svc/store/change.hpp"
#include "svc/store/monitors/decision_listeners.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A received signal that is not stored yet.
struct arrived_ping {
  uuid monitor{};
  heartbeats::signal signal{};
  std::optional<uuid> run{};
  std::string body{};   ///< unchanged, as received
  secret_string key{};  ///< the key of the request; the body may contain it, but the stored body does not
};

/// Limits of stored pings: bytes of each body, and pings of each monitor.
inline constexpr std::size_t longest_ping_body = 10UL * 1024;
inline constexpr std::int64_t most_pings = 1000;
/// Number of bodies that are kept for a project, in equal shares for its monitors. The newest bodies of each monitor
/// are kept in any case. That is about 64 MiB for a project, and at most six times as much if its monitors were added
/// one after the other.
inline constexpr std::int64_t most_bodies_of_project =
    64LL * 1024 * 1024 / static_cast<std::int64_t>(longest_ping_body);
inline constexpr std::int64_t least_bodies = 5;

/// The monitor that a key belongs to.
struct ping_key {
  uuid monitor{};
  bool only_post = false;
};

/// The state of a heartbeat that users see, except its key.
struct heartbeat_view {
  std::optional<timestamp> expected_at{};  ///< nothing while the monitor is paused
  std::optional<timestamp> deadline_at{};  ///< a ping after this time is too late
  std::optional<timestamp> last_ping_at{};
  std::optional<std::int64_t> last_duration_ms{};
  std::int64_t running = 0;
};

/// A stored ping.
struct kept_ping {
  timestamp time{};
  std::string signal{};
  std::optional<std::int64_t> exit_code{};
  std::optional<uuid> run{};
  std::optional<std::int64_t> duration_ms{};
  std::string body{};
};

/// Interval at which each instance records that it hears heartbeats: it runs, and its COMMITs reach the disk.
inline constexpr std::chrono::seconds listening_interval{1};
/// A longer time without such a record of any instance is a blind window. A shorter one may pass unnoticed, so a
/// deadline is evaluated only once it passed this long ago. Heartbeats that had to wait, or were repeated, have been
/// counted by then.
inline constexpr std::chrono::seconds listening_age{3};

/// The record that an instance hears heartbeats.
struct listening_record {
  timestamp heard_at{};                                ///< by the database's clock
  std::optional<std::chrono::seconds> blind_window{};  ///< the blind window that ends with this record
};

/// Monitors of type heartbeat: their keys, signals and deadlines. The store decides on signals in the same way as on
/// results of checks (check_store). The decision is part of the transaction that stores the signal or detects its
/// absence. Worker-local; the pool and the master keys outlive it. Every method throws `unavailable` when the
/// database is gone or late.
class heartbeat_store {
 public:
  heartbeat_store(postgres::pool& db, master_keys& master);
  heartbeat_store(heartbeat_store const&) = delete;
  heartbeat_store& operator=(heartbeat_store const&) = delete;
  ~heartbeat_store();

  /// Returns nothing for a key that does not exist, that has expired, or that belongs to a deleted monitor.
  task<std::optional<ping_key>> find(sha256_digest key, deadline until);
  /// Counts a ping, in one transaction with pings that arrive at the same time, and returns after COMMIT. False: the
  /// monitor is gone. If the call throws, the ping may or may not have counted.
  task<bool> take(arrived_ping ping, deadline until);
  /// Sets the function that is called for each ping that was counted.
  void when_taken(std::function<void(heartbeats::signal_kind)> on_news) { on_news_ = std::move(on_news); }

  /// Sets the listener for pings and missed deadlines that have changed a verdict, an outage or alerts.
  void when_decided(change_listener listener) { decided_->changed = std::move(listener); }
  /// Sets the listener for alerts that these decisions have recorded and not sent.
  void when_suppressed(suppression_listener listener) { decided_->suppressed = std::move(listener); }

  /// Evaluates up to `most_evaluated` monitors whose deadline passed `listening_age` ago, unless no instance has
  /// listened since. Returns the number that were due. A monitor that cannot be evaluated is postponed, and the
  /// others are evaluated.
  task<std::int64_t> evaluate(deadline until);
  static constexpr std::int64_t most_evaluated = 50;
  /// Records that this instance listens. If an attempt has failed or was late since its previous record,
  /// `unheard_since` is that record's `heard_at`. A blind window started then, or with the newest record of any
  /// instance if that record is too old.
  task<listening_record> listen(std::optional<timestamp> unheard_since, deadline until);

  /// Errors: not_found (the project has no such heartbeat monitor).
  task<result<heartbeat_view>> get(uuid project, uuid monitor, deadline until);
  /// Returns the newest pings first.
  task<std::vector<kept_ping>> pings(uuid monitor, std::int64_t most, deadline until);
  /// Returns the key, and creates it on the first call. Errors: not_found (also for deleted monitors).
  task<result<secret_string>> key_of(uuid project, uuid monitor, deadline until);
  /// Maximum number of former keys of a monitor that still work.
  static constexpr std::int64_t most_former_keys = 9;
  /// Creates a new key; the old key works for the time `old_works`. With 0 s all former keys end. Errors: not_found
  /// (also for deleted monitors and other types), precondition_failed.
  task<result<secret_string>> rotate_key(editor editor, uuid monitor, std::chrono::seconds old_works, deadline until);

 private:
  struct impl;
  postgres::pool& db_;
  master_keys& master_;
  std::function<void(heartbeats::signal_kind)> on_news_{};
  std::shared_ptr<decision_listeners> decided_ = std::make_shared<decision_listeners>();
  std::unique_ptr<impl> impl_;
};

}  // namespace svc::store
