#include "runner_api/runner_gate.hpp"

#include "svc/domain/token.hpp"
#include "svc/http/headers.hpp"
#include "svc/store/runners/runner_store.hpp"

namespace svc::runner_api {
namespace {

/// A valid token is not read again within this time.
constexpr std::chrono::seconds remembered{1};

/// Returns the error for a token that is no runner's. The usual mistake with a client is the address of the internal
/// listener.
error unreadable_runner_token(std::string_view token) {
  if (!read_token(token)) return errc::invalid_token;
  return {errc::invalid_token,
          "This is the runners' listener, and the token is a user's: give the client the address of a listener with "
          "kind = \"public\"."};
}

}  // namespace

task<result<runner_gate::admission_result>> runner_gate::pass(http::request const& head, deadline until) {
  auto const credential = http::read_bearer(head);
  switch (credential.content) {
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
  if (!secret) co_return unreadable_runner_token(credential.token);
  auto const now = steady::now();
  auto const seen = known_.find(*secret);
  if (seen != known_.end() && now - seen->second.read_at < remembered)
    co_return admission_result{seen->second.scope, *secret};
  if (seen == known_.end() && !budget_.allow(head.client_address, now))
    throw unavailable("too many unknown runner tokens");
  auto const found = co_await runners_.authenticate(*secret, until);
  if (!found) {
    known_.erase(*secret);
    co_return found.error();
  }
  known_.insert_or_assign(*secret, known_runner{*found, now});
  co_return admission_result{*found, *secret};
}

}  // namespace svc::runner_api
