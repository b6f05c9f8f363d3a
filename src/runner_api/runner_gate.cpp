#include "runner_api/runner_gate.hpp"

#include "svc/domain/token.hpp"
#include "svc/http/headers.hpp"
#include "svc/store/runner_store.hpp"

#include <algorithm>

namespace svc::runner_api {
namespace {

constexpr std::size_t max_addresses = 10'000;
constexpr std::chrono::seconds period{1};
/// A valid token is not read again within this time.
constexpr std::chrono::seconds remembered{1};

}  // namespace

void read_budget::roll(steady::time_point now) {
  if (now - second_ < period) return;
  asked_before_ = now - second_ < 2 * period ? used_by_.size() : 0;
  second_ = now;
  used_ = 0;
  used_by_.clear();
}

bool read_budget::allow(std::string_view address, steady::time_point now) {
  roll(now);
  if (used_ >= rate_ || used_by_.size() >= max_addresses) return false;
  double& mine = used_by_[std::string(address)];
  auto const askers = static_cast<double>(std::max(asked_before_, used_by_.size()));
  if (mine >= std::max(1.0, rate_ / askers)) return false;
  mine += 1;
  used_ += 1;
  return true;
}

task<result<runner_gate::admitted>> runner_gate::pass(http::request const& head, deadline until) {
  auto const credential = http::read_bearer(head);
  switch (credential.what) {
    case http::bearer::kind::none:
      co_return errc::token_required;
    case http::bearer::kind::unreadable:
      co_return errc::invalid_token;
    case http::bearer::kind::repeated:
      co_return error(errc::malformed_request, "Send exactly one Authorization header.");
    case http::bearer::kind::token:
      break;
  }
  // Prefix and checksum need no store.
  auto const secret = read_runner_token(credential.token);
  if (!secret) co_return secret.error();
  auto const now = steady::now();
  auto const seen = known_.find(*secret);
  if (seen != known_.end() && now - seen->second.read_at < remembered)
    co_return admitted{seen->second.scope, *secret};
  if (seen == known_.end() && !budget_.allow(head.client_address, now))
    throw unavailable("too many unknown runner tokens");
  auto const found = co_await runners_.authenticate(*secret, until);
  if (!found) {
    known_.erase(*secret);
    co_return found.error();
  }
  known_.insert_or_assign(*secret, known{*found, now});
  co_return admitted{*found, *secret};
}

}  // namespace svc::runner_api
