#pragma once

#include "svc/access/read_budget.hpp"
#include "svc/core/async.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/runner.hpp"
#include "svc/http/message.hpp"

#include <map>
#include <utility>

namespace svc::store {
class runner_store;
}

namespace svc::runner_api {

/// Who asks, before a body is read. A token that was good a second ago is not asked for again: what it may do never
/// changes, and each statement of the handlers looks by itself whether it was revoked. Worker-local.
class runner_gate {
 public:
  runner_gate(store::runner_store& runners, double unseen_reads) : runners_(runners), budget_(unseen_reads) {}

  struct passage {
    runner_scope who;
    sha256_digest secret;
  };
  /// token_required, invalid_token, token_revoked; malformed_request for two credentials. Throws `unavailable`.
  task<result<passage>> pass(http::request const& head, deadline until);

 private:
  struct known {
    runner_scope scope;
    steady::time_point read_at;
  };
  store::runner_store& runners_;
  access::read_budget budget_;
  std::map<sha256_digest, known> known_{};  ///< good ones, as many as there are
};

}  // namespace svc::runner_api
