#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/runner.hpp"
#include "svc/http/message.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace svc::store {
class runner_store;
}

namespace svc::runner_api {

/// The PostgreSQL reads that unknown runner tokens may cost in a second, shared fairly by address, so that one
/// address that guesses cannot use up what the others need. Worker-local; pure: times come from the caller.
class read_budget {
 public:
  explicit read_budget(double per_second) : rate_(per_second) {}

  /// An address gets at most its share of the second's budget: the budget divided by the number of addresses that
  /// asked in this or the previous second, at least one read.
  bool allow(std::string_view address, steady::time_point now);

 private:
  void roll(steady::time_point now);

  double rate_;
  steady::time_point second_{};
  double used_ = 0;
  std::size_t asked_before_ = 0;                     ///< addresses of the previous second
  std::unordered_map<std::string, double> used_by_;  ///< at most `max_addresses`
};

/// Authenticates runners, before a body is read. A token found valid less than a second ago is not read again: what
/// it may do never changes, and each statement of the handlers checks by itself whether it was revoked. Worker-local.
class runner_gate {
 public:
  runner_gate(store::runner_store& runners, double unseen_reads) : runners_(runners), budget_(unseen_reads) {}

  struct admitted {
    runner_scope who;
    sha256_digest secret;
  };
  /// token_required, invalid_token, token_revoked; malformed_request for two credentials. Throws `unavailable`.
  task<result<admitted>> pass(http::request const& head, deadline until);

 private:
  struct known {
    runner_scope scope;
    steady::time_point read_at;
  };
  store::runner_store& runners_;
  read_budget budget_;
  std::map<sha256_digest, known> known_{};  ///< only valid tokens, so no more than there are
};

}  // namespace svc::runner_api
