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
#include "svc/store/heartbeats/heartbeat_store.hpp"

#include <array>
#include <functional>
#include <optional>

namespace svc::store {
class epoch_lifter;
}

namespace svc::access {

/// What the gate decided about one request. It rests on exactly one window decision, unless the operation's class is
/// `none`.
struct gate_result {
  std::optional<error> refusal{};
  std::optional<limit_decision> limit{};
  record_ptr record{};                    ///< of a request that was let in with a credential
  std::optional<sha256_digest> secret{};  ///< that credential's digest
  std::optional<store::beat_key> beat{};  ///< of a request to a heartbeat's path that was let in
  microseconds auth_time{0};
  microseconds limit_time{0};
};

/// Why a record cannot be used on this route at this (database) time; nothing when it can. Pure.
std::optional<errc> refusal_of(token_record const& record, http::route const& route, timestamp now);

/// Redis's verdict in the terms of a decision.
constexpr decision::admitted outcome_of(admission_verdict v) {
  return static_cast<decision::admitted>(v);
}

/// What the gate works with; all of it this worker's.
struct gate_parts {
  authenticator& authenticator;
  admission& admission;
  fallback& fallback;
  store::epoch_lifter& lifter;
  limit_table const& table;  ///< may change between two requests, and while one waits
  /// Whose key of a heartbeat has this digest; empty where no operation is of that class.
  std::function<task<std::optional<store::beat_key>>(sha256_digest, deadline)> beat_keys{};
  double key_reads = 2000;  ///< database reads a second for keys of heartbeats that were not seen valid here
};

/// Authentication and admission: carries out what an `access::decision` asks for. Worker-local.
class gate {
 public:
  gate(gate_parts parts, metrics& counters);

  /// Throws `unavailable` when it cannot find out whether the credential is valid.
  task<gate_result> pass(http::request const& head, http::route const& route, deadline until);

  /// The record of the request's token if this worker's memory has it, and null otherwise. Nothing is decided: the
  /// token may have been revoked since, so the record only tells whose share a request would use.
  record_ptr remembered(http::request const& head, http::route const& route) const;

 private:
  /// The state of one request with a credential.
  struct attempt;

  task<gate_result> pass_address(std::string subject, rate_class which, std::optional<error> refusal, deadline until);
  task<gate_result> pass_known_beat(sha256_digest key, deadline until);
  task<gate_result> pass_beat(http::request const& head, http::route const& route, deadline until);
  gate_result pass_locally(std::string const& subject, error refusal);
  task<gate_result> pass_token(presented_token token, http::request const& head, http::route const& route,
                               deadline until);
  task<action> carry_out(attempt& v, action next, deadline until);
  task<action> look_up(attempt& v, action next, deadline until);
  task<action> admit(attempt& v, action ask, deadline until);
  gate_result conclude(attempt& v);

  admission_request question(attempt const& v, action ask) const;
  window_limit window_of(token_record const& record) const;
  /// The time that headers count from when Redis gives none: the database's, or our own before the first read.
  timestamp now() const;
  std::optional<class_window> second_window(http::route const& route) const;
  /// A denial of one of its windows that is known from a moment ago.
  std::optional<limit_decision> known_denial(admission_request const& asked, steady::time_point time);
  /// Counts a question asked at `start` that Redis has just answered, or that has timed out.
  void count(rate_class which, admission_verdict verdict, steady::time_point start);

  gate_parts parts_;
  local_window strangers_;  ///< refusals that need no store at all
  denials denials_;
  read_budget strange_beats_;
  recent_keys<sha256_digest> known_beats_{65'536};                    ///< keys that were valid when last asked about
  std::array<std::array<counter, 4>, rate_class_count> decisions_{};  ///< by class and verdict
  histogram admission_time_;
  counter lifts_;
};

}  // namespace svc::access
