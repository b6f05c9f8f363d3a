#pragma once

#include "svc/access/admission.hpp"
#include "svc/access/authenticator.hpp"
#include "svc/access/decision.hpp"
#include "svc/access/fallback.hpp"
#include "svc/access/local_window.hpp"
#include "svc/access/read_budget.hpp"
#include "svc/access/recent_keys.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/limit.hpp"
#include "svc/domain/principal.hpp"
#include "svc/http/contract.hpp"
#include "svc/sign_in/origin_rule.hpp"
#include "svc/store/heartbeats/heartbeat_store.hpp"

#include <array>
#include <functional>
#include <optional>

namespace svc::store {
class epoch_advancer;
}

namespace svc::access {

/// The gate's decision about one request. It results from exactly one window decision, unless the operation's class
/// is `none`.
struct gate_result {
  std::optional<error> refusal{};
  std::optional<limit_decision> limit{};
  record_ptr record{};                         ///< set if the gate admitted the request with a credential
  std::optional<sha256_digest> secret{};       ///< that credential's digest
  std::optional<sha256_digest> session_key{};  ///< the key of the record, if the credential is a session
  std::optional<store::ping_key> ping{};       ///< set if the gate admitted a request to a heartbeat's path
  microseconds auth_time{0};
  microseconds limit_time{0};
};

/// Returns why a record cannot be used on this route at this (database) time, or `std::nullopt` if it can. Pure.
std::optional<errc> refusal_of(token_record const& record, http::route const& route, timestamp now);

/// Converts Redis's verdict to the outcome that a decision takes.
constexpr decision::admission_outcome outcome_of(admission_verdict v) {
  return static_cast<decision::admission_outcome>(v);
}

/// The objects that the gate works with; all belong to the gate's worker.
struct gate_parts {
  authenticator& authenticator;
  admission& admission;
  fallback& fallback;
  store::epoch_advancer& advancer;
  limit_table const& table;  ///< may change between two requests, and while one waits
  /// Returns the heartbeat whose key has this digest; empty if no operation is of that class.
  std::function<task<std::optional<store::ping_key>>(sha256_digest, deadline)> ping_keys{};
  double key_reads = 2000;  ///< database reads per second for keys of heartbeats that this worker has not yet found
                            ///< valid
  std::string const* public_url = nullptr;  ///< complete when the first request arrives; null or empty: the origin is
                                            ///< that of `Host`
};

/// Authenticates and admits requests: carries out the actions of an `access::decision`. The object belongs to one
/// worker.
class gate {
 public:
  gate(gate_parts parts, metrics& counters);

  /// Throws `unavailable` when the gate cannot determine whether the credential is valid.
  task<gate_result> pass(http::request const& head, http::route const& route, deadline until);

  /// Returns true if the request has the cookie of a session whose user may view the project. Counts the request in
  /// the session's window. Throws `unavailable` when the gate cannot determine it.
  task<bool> is_member(http::request const& head, uuid project, deadline until);

  /// Returns the record of the request's token if this worker's memory has it, otherwise null. The record is no
  /// decision: the token may have been revoked since, so the record only identifies whose share a request would use.
  record_ptr remembered(http::request const& head, http::route const& route) const;

 private:
  /// The state of one request with a credential.
  struct attempt;

  task<gate_result> pass_address(std::string subject, rate_class which, std::optional<error> refusal, deadline until);
  task<gate_result> pass_known_ping(sha256_digest key, deadline until);
  task<gate_result> pass_ping(http::request const& head, http::route const& route, deadline until);
  gate_result pass_locally(std::string const& subject, error refusal);
  task<gate_result> pass_token(presented_token token, std::optional<presented_session> session,
                               http::request const& head, http::route const& route, deadline until);
  /// Admits a request without an `Authorization` header, whose operation takes sessions.
  task<gate_result> pass_session(http::request const& head, http::route const& route, deadline until);
  /// Returns the refusal of a request that a page of another site caused.
  std::optional<error> cross_site_refusal(http::request const& head);
  task<action> carry_out(attempt& v, action next, deadline until);
  task<action> look_up(attempt& v, action next, deadline until);
  task<action> admit(attempt& v, action ask, deadline until);
  gate_result conclude(attempt& v);

  admission_request question(attempt const& v, action ask) const;
  window_limit window_of(token_record const& record) const;
  /// Returns the time that headers count from when Redis gives none: the database's time, or our own before the first
  /// read.
  timestamp now() const;
  std::optional<class_window> second_window(http::route const& route) const;
  /// Returns a denial by one of the request's windows that this worker remembers from a moment ago.
  std::optional<limit_decision> known_denial(admission_request const& asked, steady::time_point time);
  /// Counts a question that started at `start` and that Redis has just answered, or that has timed out.
  void count(rate_class which, admission_verdict verdict, steady::time_point start);

  gate_parts parts_;
  local_window strangers_;  ///< refusals that need no store at all
  denials denials_;
  read_budget strange_pings_;
  recent_keys<sha256_digest> known_pings_{65'536};                    ///< keys that were valid at their last check
  std::array<std::array<counter, 4>, rate_class_count> decisions_{};  ///< by class and verdict
  histogram admission_time_;
  counter advances_;
  counter cross_site_;
  std::optional<sign_in::origin_rule> origins_{};  ///< made from `public_url` at its first use
};

}  // namespace svc::access
