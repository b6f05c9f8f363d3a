#pragma once

#include "svc/access/record_cache.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/principal.hpp"

#include <cstdint>
#include <optional>

namespace svc::access {

/// The rules of the protocol that the decision enforces. The service enables all rules. tests/model disables one rule
/// at a time, and its checks must then fail.
struct decision_rules {
  bool read_again_when_stale = true;     ///< a STALE reply leads to one read, which is sent after that reply
  bool fresh_only_after_arrival = true;  ///< a read sent before the request arrived may not bump the epoch
  bool advance_past_database = true;     ///< a record older than the epoch known to Redis is never used
  bool keep_only_confirmed = true;       ///< a record is kept only if Redis holds its epoch
  bool read_when_redis_is_lost = true;   ///< without Redis only a read sent after the arrival confirms anything
  bool revalidate_old_absence = true;    ///< a token unknown to a read sent before the arrival may exist by now
};

/// The next step for one request. The caller carries out the step and reports the outcome to the decision.
enum class step : std::uint8_t {
  fetch,    ///< look for a record in Redis
  read,     ///< one auth read in PostgreSQL: `cached` joins any read in flight, `fresh` joins one that started after
            ///< the request arrived, `forced` starts a new one
  advance,  ///< advance the subject's epoch in PostgreSQL beyond `epoch`
  admit,    ///< ask Redis, with `mode` and `epoch`, for the window that `about` names
  local,    ///< decide by the window of this instance that `about` names
  finish,   ///< done: see `decision::verdict()`
};

/// The window that a decision is about.
enum class purpose : std::uint8_t {
  use,        ///< the credential's own window
  confirm,    ///< limit 0: the record cannot be used, and Redis must confirm that it is still current
  refused,    ///< a stored credential that is refused
  anonymous,  ///< an unknown credential
};

struct action {
  step content = step::finish;
  purpose about = purpose::use;
  epoch_mode mode = epoch_mode::none;
  std::int64_t epoch = 0;  ///< admit: the record's epoch; advance: the epoch in Redis
};

/// The outcome. If it is `refused`, `refusal` says why the stored credential is not accepted; if it is `unknown`,
/// there is no such credential.
struct decision_result {
  enum class kind : std::uint8_t { let_in, limited, refused, unknown, unavailable };
  kind content = kind::unavailable;
  std::optional<errc> refusal{};
  bool keep = false;   ///< admission confirmed the record: worker memory and Redis may keep it
  bool local = false;  ///< Redis took no part
};

/// The state machine of one request's authentication and admission, without I/O: it takes outcomes and
/// returns the next action. It asks for at most two reads, two admissions about the record and one about a
/// refusal. An advance costs one more read, and so does a joined read that was sent before the request
/// arrived and found no token. The object belongs to the request.
class decision {
 public:
  /// Returns why a record cannot be used for this request at this moment, or `std::nullopt` if it can.
  class refusal_policy {
   public:
    virtual ~refusal_policy() = default;
    virtual std::optional<errc> refusal(token_record const& record) const = 0;
  };

  enum class fetch_outcome : std::uint8_t { record, negative, nothing, lost };
  enum class read_outcome : std::uint8_t { record, unknown, failed };
  enum class admission_outcome : std::uint8_t { ok, denied, stale, lost };

  decision(refusal_policy const& policy, bool redis_is_lost, decision_rules rules = {})
      : policy_(policy), rules_(rules), redis_lost_(redis_is_lost) {}

  /// `held` is the record from worker memory, or null if there is none that is young enough.
  action start(record_ptr held);
  action on_fetch(fetch_outcome fetch, record_ptr record);
  /// `sent_after_arrival` is true if the statement left after the request's arrival, as the statement of a re-read
  /// always does.
  action on_read(read_outcome outcome, record_ptr record, bool sent_after_arrival);
  action on_advance(bool done);
  /// `epoch` is the one that Redis holds, if any.
  action on_admit(admission_outcome admission, std::optional<std::int64_t> epoch);
  action on_local(bool admitted);

  decision_result const& verdict() const { return verdict_; }
  record_ptr const& record() const { return record_; }

 private:
  static action read(epoch_mode at_least) { return {step::read, purpose::use, at_least}; }
  action ask_about_record();
  action ask_about_refusal();
  action ask_about_stranger();
  action on_record_admitted(admission_outcome admission, std::optional<std::int64_t> epoch);
  action end(decision_result::kind kind);
  action end_window(bool admitted);

  refusal_policy const& policy_;
  decision_rules rules_;
  bool redis_lost_;
  record_ptr record_{};
  epoch_mode mode_ = epoch_mode::none;
  std::optional<errc> refusal_{};
  std::optional<std::int64_t> stale_epoch_{};
  bool rereading_ = false;
  bool advanced_ = false;
  purpose asked_ = purpose::use;
  decision_result verdict_{};
};

}  // namespace svc::access
