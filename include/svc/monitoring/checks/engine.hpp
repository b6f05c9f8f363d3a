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
  variable_values all{};
  std::vector<std::string> secret{};  ///< names of the variables that are masked in the check's output
};

/// The outcome of a check.
struct check_outcome {
  timestamp started{};  ///< by the system clock
  unsigned attempts = 0;
  result_of_check result{};
  /// The smallest configured number of days before the certificate's end that has been reached
  /// (`passed_threshold`).
  std::optional<std::uint32_t> certificate_threshold{};
};

/// A connectivity probe: a TCP port, chosen by the operator, that always answers while this location's uplink works.
struct connectivity_probe {
  egress::host host{};
  std::uint16_t port = 0;
};

/// Parses `HOST:PORT`, with an IPv6 address in brackets. Total.
std::optional<connectivity_probe> parse_connectivity_probe(std::string_view text);

/// The gate of one check, which its attempts share. Worker-local.
class check_gate : public egress::connection_gate {
 public:
  /// Returns all permits: the check makes no connection until it enters again.
  virtual void leave() = 0;
  /// Returns how long the check has waited since the last call.
  virtual steady::duration take_wait() = 0;
  /// True if a connection was refused: the check then says nothing about its target.
  virtual bool refused() const = 0;
};

/// The deadlines of a check.
struct check_limits {
  // The conversion is implicit for callers that use one deadline for both.
  check_limits(deadline both) : end(both), last_retry(both) {}
  check_limits(deadline end_of_attempts, deadline begin_of_retries)
      : end(end_of_attempts), last_retry(begin_of_retries) {}

  void put_off(steady::duration delay) {
    if (fixed) return;
    end = deadline(end.at() + delay);
    last_retry = deadline(last_retry.at() + delay);
  }

  deadline end;         ///< no attempt lasts longer
  deadline last_retry;  ///< no retry starts later
  bool fixed = false;   ///< true: a user waits for the check, so waits at its gate count as its time
};

/// Immutable.
struct engine_settings {
  egress::resolver_settings names{};
  std::shared_ptr<egress::address_policy const> policy{};
  std::shared_ptr<egress::trust_store const> trust{};
  std::string user_agent = "svcd";
  /// With connectivity probes, a failure counts only if one of them answered in the last 10 s. Otherwise the result
  /// is `location_impaired`.
  std::vector<connectivity_probe> connectivity_probes{};
};

/// Runs checks: an attempt each, and retries if the attempt counts against the target. Worker-local: one for each
/// thread and `io_context`. It outlives its checks; they are cancelled before it ends.
class engine {
 public:
  /// Throws `std::runtime_error` if libcurl or c-ares cannot be set up. `shares` divides the thread's time and
  /// outlives the engine; null: the time is not shared.
  engine(asio::io_context& io, engine_settings settings, work_scheduler* shares = nullptr);
  ~engine();
  engine(engine const&) = delete;
  engine& operator=(engine const&) = delete;

  /// True if this process can run checks of this type; logged at start. Other checks end as `capability_missing`.
  bool can(check_type const& type) const;

  /// Runs a check with its retries. Each attempt uses a new connection and resolves the name again; the first may use
  /// addresses that are at most `address_age` old. The first good attempt gives the result. Otherwise the last
  /// attempt gives it, or the last conclusive one if at least two were conclusive. Returns `std::nullopt` if the gate
  /// refused a connection or the check was cancelled. It can be cancelled through the cancellation slot of the
  /// awaiting coroutine (`asio::cancellation_type::terminal`). Does not throw because of network, target or
  /// configuration.
  ///
  /// Each connection to an address that a user chose passes the gate; null: no gate. The check keeps its permit
  /// during a pause that is shorter than the attempt, because it might wait as long for the next permit.
  task<std::optional<check_outcome>> run(std::shared_ptr<check_config const> config,
                                         std::shared_ptr<check_values const> values, check_limits until,
                                         std::shared_ptr<check_gate> gate = nullptr);

 private:
  class implementation;
  std::unique_ptr<implementation> impl_;
};

}  // namespace svc::checks
