#pragma once

#include "svc/egress/connection_gate.hpp"
#include "svc/egress/datagram_client.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/http/http_client.hpp"
#include "svc/egress/icmp/pinger.hpp"
#include "svc/egress/stream_client.hpp"
#include "svc/monitoring/checks/config.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::checks {

/// The variables of a project that a check needs.
struct check_values {
  checks::variable_values all{};
  std::vector<std::string> secret{};  ///< names of those that are masked in what a check says
};

/// What came of a check.
struct performed {
  timestamp started{};  ///< by the system clock
  unsigned attempts = 0;
  checks::result_of_check result{};
  /// The least of the configured days before the certificate's end that have begun (`checks::passed_threshold`).
  std::optional<std::uint32_t> certificate_threshold{};
};

/// A TCP port of the operator's choice that answers whenever this location is well.
struct canary {
  egress::host host{};
  std::uint16_t port = 0;
};

/// `HOST:PORT`, an IPv6 address in brackets. Total.
std::optional<canary> parse_canary(std::string_view text);

/// The gate of one check, which its attempts share. Worker-local.
class check_gate : public egress::connection_gate {
 public:
  /// Gives back all permissions: the check makes no connection until it enters again.
  virtual void leave() = 0;
  /// Returns how long the check has waited since the last call.
  virtual steady::duration take_wait() = 0;
  /// True if a connection was not let through: then the check says nothing of its target.
  virtual bool refused() const = 0;
};

/// Until when a check goes on.
struct check_limits {
  // Implicit: where one deadline is enough for both.
  check_limits(deadline both) : end(both), last_retry(both) {}
  check_limits(deadline end_of_attempts, deadline begin_of_retries)
      : end(end_of_attempts), last_retry(begin_of_retries) {}

  void put_off(steady::duration delay) {
    if (fixed) return;
    end = deadline(end.at() + delay);
    last_retry = deadline(last_retry.at() + delay);
  }

  deadline end;         ///< no attempt lasts longer
  deadline last_retry;  ///< no retry begins later
  bool fixed = false;   ///< Somebody waits for the check, so waits at its gate are part of its time.
};

/// Immutable.
struct engine_settings {
  egress::resolver_settings names{};
  std::shared_ptr<egress::guard const> judge{};
  std::shared_ptr<egress::trust_store const> trust{};
  std::string user_agent = "svcd";
  /// If there are any, a failure counts only if one of them answered in the last 10 s; otherwise the result is
  /// `location_impaired`.
  std::vector<canary> canaries{};
};

/// Performs checks: each an attempt and, if it speaks against the target, its retries. Worker-local: one for each
/// thread and `io_context`; outlives its checks, which are cancelled before it ends.
class engine {
 public:
  /// Throws `std::runtime_error` if libcurl or c-ares cannot be set up.
  /// `shares`: of the thread's time; outlives this. Null: nobody shares it.
  engine(asio::io_context& io, engine_settings settings, work_scheduler* shares = nullptr);
  ~engine();
  engine(engine const&) = delete;
  engine& operator=(engine const&) = delete;

  /// Whether this place can make checks of this type; said at start. Others end as `capability_missing`.
  bool can(check_type const& type) const;

  /// Each attempt has a new connection and a new resolution; the first may use addresses that were resolved at most
  /// `address_age` ago. The first good attempt makes the result; otherwise it is the last one, of those that say
  /// something if two or more did. Nothing if its gate refused a connection, or it was cancelled, through the
  /// cancellation slot of the awaiting coroutine (`asio::cancellation_type::terminal`). Throws nothing that network,
  /// target or configuration cause.
  ///
  /// Each connection to what a user chose passes the gate; null: there is none. A check keeps its permission during a
  /// pause that is shorter than the attempt was, because after a long attempt it would wait for the next one as long.
  task<std::optional<performed>> perform(std::shared_ptr<check_config const> config,
                                         std::shared_ptr<check_values const> values, check_limits until,
                                         std::shared_ptr<check_gate> gate = nullptr);

 private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

}  // namespace svc::checks
