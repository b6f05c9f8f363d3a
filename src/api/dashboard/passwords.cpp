#include "api/dashboard/sign_in.hpp"
#include "svc/access/attempt_windows.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/api/sign_in_services.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/domain/token.hpp"
#include "svc/monitoring/notifications/system_mailer.hpp"
#include "svc/sign_in/browser_input.hpp"
#include "svc/sign_in/cookies.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

using password_outcome = sign_in_services::verdict;
using sign_in::device_content;

constexpr std::string_view by_password = "password";

/// Passwords arrive in the body, which is not wiped; from here on they are.
secret_string password_member(call const& c) {
  return secret_string(std::string_view(c.member("password")->as_string()));
}

/// Returns the accounts that have signed in with this browser; a cookie in doubt counts as none.
std::optional<device_content> presented_device(call const& c) {
  auto const& parts = c.use.sign_in.parts();
  auto const content =
      parts.cookies.open(sign_in::device_cookie, presented_cookie(c.request, sign_in::device_cookie), parts.now());
  return content ? device_content::read(content->reveal()) : std::nullopt;
}

/// Counts an attempt at an account before the password is hashed. Fails with too_many_attempts.
task<result<limit_decision>> counted_password(call& c, std::string_view email) {
  auto subject = sign_in::attempt_subject(presented_device(c), sign_in::email_digest(email));
  auto counted = co_await counted_attempt(c, rate_class::sign_in_account, std::move(subject));
  if (!counted) c.use.sign_in.count_sign_in(by_password, password_outcome::limited);
  co_return counted;
}

task<std::optional<store::password_account>> account_of(call& c, std::string_view email) {
  auto normalised = sign_in::normalised_email(email);
  if (!normalised) co_return std::nullopt;
  co_return co_await c.use.stores.sign_ins.find_password(std::move(*normalised), c.until);
}

/// Compares the password with that of the account of the address. Without an account, or for one that may not use a
/// password, the same work is done.
task<result<sign_in::password_hasher::verification>> verified(call& c, std::string_view email,
                                                              store::password_account const* account) {
  bool const by_provider = c.use.sign_in.manages_address(email) || (account != nullptr && account->managed);
  bool const usable = account != nullptr && !account->disabled && !by_provider && !account->hash.empty();
  auto stored = usable ? std::optional(account->hash) : std::nullopt;
  return c.use.sign_in.parts().hasher->verify(password_member(c), std::move(stored), c.until);
}

audit_actor requester(call const& c) {
  return {.ip = c.request.client_address,
          .user_agent = std::string(c.request.find("User-Agent").value_or("").substr(0, 500)),
          .request_id = c.request_id};
}

/// Writes the audit row of a failed attempt, if it is the first one of its window or has filled it. So guesses fill
/// no table. Nobody waits for the row, because its time would tell that the account exists.
void audit_failure(call& c, executor const& where, store::password_account const* account,
                   limit_decision const& window) {
  if (account == nullptr) return;
  bool const full = window.remaining == 0, first = window.remaining + 1 == window.window.limit;
  if (!full && !first) return;
  auto actor = requester(c);
  actor.user = account->user;
  actor.name = account->name;
  spawn_task(where, c.use.stores.sign_ins.audit_attempt(full ? "sign_in.limited" : "sign_in.failed", std::move(actor),
                                                        c.until));
}

/// An account whose password matched.
struct matched_account {
  store::password_account account;
  std::optional<std::string> renewed_hash;  ///< the same password with new parameters
};

/// Makes one attempt at the account of the address with the password of the body: counts it, compares, and records a
/// failure. too_many_attempts, sign_in_failed.
task<result<matched_account>> attempt_at(call& c, std::string email) {
  auto const attempt = co_await counted_password(c, email);
  if (!attempt) co_return attempt.error();
  auto account = co_await account_of(c, email);
  auto const* const found = account ? &*account : nullptr;
  auto checked = co_await verified(c, email, found);
  if (!checked) co_return checked.error();
  if (checked->matches) co_return matched_account{std::move(account).value(), std::move(checked->renewed)};
  audit_failure(c, co_await asio::this_coro::executor, found, *attempt);
  c.use.sign_in.count_sign_in(by_password, password_outcome::failed);
  co_return errc::sign_in_failed;
}

error passwords_off() {
  return {errc::sign_in_refused, "The operator has switched passwords off; sign in by another method."};
}

}  // namespace

void remember_device(call const& c, std::string_view email, reply& answer) {
  auto device = presented_device(c).value_or(device_content::generate());
  device.add(sign_in::email_digest(email));
  auto const& parts = c.use.sign_in.parts();
  auto const sealed = parts.cookies.seal(sign_in::device_cookie, device.write(),
                                         parts.now() + std::chrono::microseconds(sign_in::device_life));
  answer.fields.emplace_back("Set-Cookie", sign_in::set_cookie(sign_in::device_cookie, sealed,
                                                               sign_in::same_site::strict, sign_in::device_life));
}

std::vector<std::string> known_words(call const& c, std::string_view name, std::string_view email) {
  return {"svc", c.use.public_url, std::string(name), std::string(email)};
}

task<result<std::optional<std::string>>> hash_for_link(call& c, sha256_digest link) {
  using new_hash = std::optional<std::string>;
  if (c.member("password") == nullptr) co_return new_hash();
  auto* const hasher = c.use.sign_in.parts().hasher;
  if (hasher == nullptr) co_return passwords_off();
  auto const shown = co_await c.use.stores.sign_ins.preview_link(link, c.until);
  if (!shown) co_return shown.error();
  if (!shown->sets_password || c.use.sign_in.manages_address(shown->email))
    co_return error(errc::sign_in_refused, "This link sets no password; leave `password` out.");
  auto made = co_await hasher->hash_new(password_member(c), known_words(c, shown->name, shown->email), c.until);
  if (!made) co_return made.error();
  co_return new_hash(std::move(*made));
}

task<result<reply>> sign_in_by_password(call& c) {
  if (c.use.sign_in.parts().hasher == nullptr) co_return passwords_off();
  auto matched = co_await attempt_at(c, std::string(c.member("email")->as_string()));
  if (!matched) co_return matched.error();
  auto [session, key] = make_browser_session(c, by_password);
  auto done = co_await c.use.stores.sign_ins.sign_in_by_password(
      matched->account.user, matched->account.hash, std::move(matched->renewed_hash), std::move(session), c.until);
  c.use.sign_in.count_sign_in(by_password, done.outcome ? password_outcome::succeeded : password_outcome::failed);
  if (!done.outcome) co_return done.outcome.error();
  co_return co_await signed_in_reply(c, std::move(done), std::move(key));
}

task<result<reply>> refresh_session(call& c) {
  if (c.use.sign_in.parts().hasher == nullptr) co_return passwords_off();
  auto const own = co_await c.use.stores.accounts.read(c.caller.owner_id, c.caller.token_id, c.until);
  if (!own) co_return own.error();
  if (auto const matched = co_await attempt_at(c, own->email); !matched) co_return matched.error();
  auto minted = mint_token(token_kind::session);
  auto done = co_await c.use.stores.sessions.refresh(
      c.caller.token_id, {.digest = minted.digest, .method = std::string(by_password)}, c.actor(), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  c.use.sign_in.count_sign_in(by_password, password_outcome::succeeded);
  reply answer{.status = 204};
  answer.fields.emplace_back("Set-Cookie",
                             session_cookie_field(minted.key, c.use.sign_in.parts().now(), own->expires_at));
  remember_device(c, own->email, answer);
  co_return answer;
}

task<result<reply>> set_own_password(call& c) {
  auto* const hasher = c.use.sign_in.parts().hasher;
  if (hasher == nullptr) co_return passwords_off();
  auto const own = co_await c.use.stores.accounts.read(c.caller.owner_id, c.caller.token_id, c.until);
  if (!own) co_return own.error();
  if (c.use.sign_in.manages_address(own->email)) co_return errc::sign_in_refused;
  auto words = known_words(c, own->name, own->email);
  for (auto const& organization : own->organizations) words.push_back(organization.name);
  auto hash = co_await hasher->hash_new(password_member(c), std::move(words), c.until);
  if (!hash) co_return hash.error();
  auto done = co_await c.use.stores.sign_ins.set_password(c.caller.owner_id, std::move(*hash), c.actor(), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  c.use.sign_in.count_end(session_end::password, done.outcome->size());
  co_return reply{.status = 204};
}

task<result<reply>> recover_account(call& c) {
  auto& parts = c.use.sign_in.parts();
  if (!c.use.sign_in.recovers())
    co_return error(errc::sign_in_refused,
                    "This service sends no mails for recovery; ask an operator for a link that signs you in.");
  std::string const typed(c.member("email")->as_string());
  auto const counted = co_await counted_attempt(c, rate_class::recovery, to_hex(sign_in::email_digest(typed)));
  if (!counted) co_return counted.error();
  auto email = sign_in::normalised_email(typed);
  // The account is looked up after the answer, so that nothing here depends on it.
  if (email && !c.use.sign_in.manages_address(*email) &&
      !parts.recoveries.push({.email = std::move(*email), .origin = requester(c)}))
    co_return errc::overloaded;
  http::json_text out;
  out.member("linkSeconds", std::int64_t{store::recovery_life.count()});
  co_return reply{.status = 202, .text = out.take()};
}

}  // namespace svc::api
