#include "api/cli_tokens/rotate_token.hpp"

#include "svc/access/change_publisher.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

namespace {

store::rotation read_rotation(call const& c, minted_token const& minted) {
  store::rotation how{.digest = minted.digest, .start = minted.start, .presented = c.secret};
  if (auto const* grace = c.member("graceSeconds")) how.grace_seconds = grace->as_int64();
  if (auto const* lifetime = c.member("expiresIn")) how.expires_in = lifetime->as_int64();
  if (auto const* end = c.member("endPrevious")) how.end_at_first_use = end->as_string() == "first_use";
  return how;
}

}  // namespace

task<result<keyed_token>> rotate_token(call& c, store::token_scope place, uuid id) {
  // The kind, which never changes, gives the secret its prefix; all else is looked at behind the token's lock.
  auto found = co_await c.use.tokens.get(place, id, c.until);
  if (!found.outcome) {
    co_await c.use.changes.publish(std::move(found.touched));
    co_return found.outcome.error();
  }
  minted_token minted = mint_token(found.outcome->kind);
  auto done = co_await c.use.tokens.rotate(place, id, read_rotation(c, minted), c.actor(), c.until);
  // Also behind a refusal, which may tell of somebody else's change.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_await c.use.changes.announce({minted.digest});
  co_return keyed_token{std::move(*done.outcome), std::move(minted.key)};
}

}  // namespace svc::api
