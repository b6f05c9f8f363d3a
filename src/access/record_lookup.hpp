#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/access/decision.hpp"
#include "svc/access/fallback.hpp"

#include <cstdint>
#include <string>

namespace svc::access {

/// Finds the record of one credential where its decision asks: in worker memory, Redis or PostgreSQL. Keeps a
/// confirmed record. Belongs to the request, like the decision.
class record_lookup {
 public:
  struct wanted_record {
    sha256_digest digest;
    steady::time_point arrived;  ///< arrival of the request; an earlier read may have missed a change before it
    std::int64_t at_least = 0;   ///< a record before this epoch does not count; 0 accepts any
    bool seen = false;           ///< known to have been valid: decides which rate a read counts against
    std::optional<presented_session> session{};  ///< set if `digest` is the record key of a session
  };
  record_lookup(authenticator& authenticator, fallback& fallback, decision& steps, wanted_record request)
      : authenticator_(authenticator), fallback_(fallback), steps_(steps), wanted_(request) {}

  /// Starts the decision with the record in worker memory.
  action start();
  task<action> fetch(deadline until);
  /// `address` is the client's; addresses share the statements for unseen tokens fairly.
  task<action> read(epoch_mode mode, std::string address, deadline until);

  /// Keeps the record for later requests at the end, if admission confirmed it and worker memory or Redis
  /// lacks it.
  void keep();
  /// Notifies the other workers at the end, if PostgreSQL has just found no such token.
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
