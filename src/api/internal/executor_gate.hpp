#pragma once

#include "svc/auth/read_budget.hpp"
#include "svc/core/async.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/executor.hpp"
#include "svc/http/message.hpp"

#include <map>
#include <utility>

namespace svc::store {
class executor_store;
}

namespace svc::api::internal {

/// Who asks, before a body is read. A token that was good a second ago is not asked for again: what it may do never
/// changes, and each statement of the handlers looks by itself whether it was revoked. Worker-local.
class executor_gate {
 public:
  executor_gate(store::executor_store& executors, double unseen_reads)
      : executors_(executors), budget_(unseen_reads) {}

  struct passage {
    executor_scope who;
    sha256_digest secret;
  };
  /// token_required, invalid_token, token_revoked; malformed_request for two credentials. Throws `unavailable`.
  task<result<passage>> pass(http::request const& head, deadline until);

 private:
  struct known {
    executor_scope scope;
    steady::time_point read_at;
  };
  store::executor_store& executors_;
  auth::read_budget budget_;
  std::map<sha256_digest, known> known_{};  ///< good ones, as many as there are
};

}  // namespace svc::api::internal
