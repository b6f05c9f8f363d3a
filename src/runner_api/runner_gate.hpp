#pragma once

#include "svc/access/read_budget.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/runner.hpp"
#include "svc/http/message.hpp"

#include <map>

namespace svc::store {
class runner_store;
}

namespace svc::runner_api {

/// Authenticates runners, before a body is read. A token found valid less than a second ago is not read again,
/// because its rights never change, and each statement of the handlers checks by itself whether it was revoked.
/// Worker-local.
class runner_gate {
 public:
  runner_gate(store::runner_store& runners, double unseen_reads) : runners_(runners), budget_(unseen_reads) {}

  struct admission_result {
    runner_scope scope;
    sha256_digest secret;
  };
  /// Fails with token_required, invalid_token or token_revoked, and with malformed_request for two credentials.
  /// Throws `unavailable`.
  task<result<admission_result>> pass(http::request const& head, deadline until);

 private:
  struct known_runner {
    runner_scope scope;
    steady::time_point read_at;
  };
  store::runner_store& runners_;
  access::read_budget budget_;
  std::map<sha256_digest, known_runner> known_{};  ///< only valid tokens, so no more than there are
};

}  // namespace svc::runner_api
