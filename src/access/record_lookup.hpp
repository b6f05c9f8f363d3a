#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/access/decision.hpp"
#include "svc/access/fallback.hpp"

#include <cstdint>
#include <string>

namespace svc::access {

/// Finds the record of one credential in the place that the decision names: worker memory, Redis or PostgreSQL. Keeps
/// a confirmed record. Belongs to the request, like the decision.
class record_lookup {
 public:
  struct wanted_record {
    sha256_digest digest;
    /// Arrival of the request. An earlier read may miss a change that precedes the request.
    steady::time_point arrived;
    std::int64_t at_least = 0;  ///< a record before this epoch does not count; 0 accepts any
    bool seen = false;          ///< known to have been valid: decides which rate a read counts against
    std::optional<presented_session> session{};  ///< set if `digest` is the record key of a session
  };
  record_lookup(authenticator& authenticator, fallback& fallback, decision& steps, wanted_record request)
      : authenticator_(authenticator), fallback_(fallback), steps_(steps), wanted_(request) {}

  /// Starts the decision with the record in worker memory.
  action start();
  task<action> fetch(deadline until);
  /// `address` is the client's; addresses share the statements for unseen tokens fairly.
  task<action> read(epoch_mode mode, std::string address, deadline until);

  /// Call it at the end. Keeps the record for later requests if admission confirmed it and worker memory or Redis
  /// lacks it.
  void keep();
  /// Call it at the end. Notifies the other workers if PostgreSQL has just found no such token.
  void keep_unknown();

 private:
  authenticator& authenticator_;
  fallback& fallback_;
  decision& steps_;
  wanted_record wanted_;
  bool publish_ = false;       ///< Redis does not have the record
  bool in_memory_ = false;     ///< worker memory has it
  steady::time_point sent_{};  ///< when the statement of the last read left
};

}  // namespace svc::access
