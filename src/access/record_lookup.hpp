#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/access/decision.hpp"
#include "svc/access/fallback.hpp"

#include <cstdint>
#include <string>

namespace svc::access {

/// Finds the record of one credential as its decision asks: worker memory, Redis, PostgreSQL; and keeps what was
/// confirmed. Belongs to the request, beside the decision.
class record_lookup {
 public:
  struct wanted_record {
    sha256_digest digest;
    steady::time_point arrived;  ///< of the request: a read sent earlier may have missed a change made before it
    std::int64_t at_least = 0;   ///< a record before this epoch does not count; 0 accepts any
    bool seen = false;           ///< known to have been valid: decides which rate a read counts against
    std::optional<presented_session> session{};  ///< set if `digest` is the record key of a session
  };
  record_lookup(authenticator& authenticator, fallback& fallback, decision& steps, wanted_record request)
      : authenticator_(authenticator), fallback_(fallback), steps_(steps), wanted_(request) {}

  /// The decision's first step, with what worker memory holds.
  action start();
  task<action> fetch(deadline until);
  /// `address`: the client's; addresses share the statements for unseen tokens fairly.
  task<action> read(epoch_mode mode, std::string address, deadline until);

  /// At the end: keeps the record for later requests, if admission confirmed it and worker memory or Redis lacks it.
  void keep();
  /// At the end: tells the other workers that there is no such token, if PostgreSQL has just said so.
  void keep_unknown();

 private:
  authenticator& authenticator_;
  fallback& fallback_;
  decision& steps_;
  wanted_record wanted_;
  bool publish_ = false;       ///< Redis does not have the record
  bool in_memory_ = false;     ///< worker memory has it
  steady::time_point sent_{};  ///< the last read
};

}  // namespace svc::access
