#include "api/dashboard/sign_in.hpp"

#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/api/sign_in_services.hpp"
#include "svc/core/ascii.hpp"
#include "svc/domain/token.hpp"
#include "svc/sign_in/cookies.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

using attempt_verdict = sign_in_services::verdict;

}  // namespace

std::string_view text_member(call const& c, std::string_view name) {
  return c.member(name)->as_string();
}

task<result<limit_decision>> counted_attempt(call& c, rate_class name, std::string subject) {
  auto const window = co_await c.use.sign_in.parts().windows.count(name, std::move(subject), c.until);
  if (window.admitted) co_return window;
  *c.limit = window;
  co_return errc::too_many_attempts;
}

std::string_view presented_cookie(http::request const& head, std::string_view name) {
  sign_in::cookie_search search(name);
  for (auto const& field : head.fields)
    if (iequals(field.name, "cookie")) search.read(field.value);
  return search.value();
}

std::optional<sha256_digest> presented_session_digest(http::request const& head) {
  auto const secret = read_session_secret(presented_cookie(head, sign_in::session_cookie));
  return secret ? std::optional(*secret) : std::nullopt;
}

std::string session_cookie_field(secret_string const& secret, timestamp now, timestamp expires_at) {
  auto const life = std::chrono::ceil<milliseconds>(microseconds(expires_at.micros - now.micros));
  return sign_in::set_cookie(sign_in::session_cookie, secret.reveal(), sign_in::same_site::strict, life);
}

browser_session make_browser_session(call const& c, std::string_view method, std::string_view provider) {
  auto minted = mint_token(token_kind::session);
  return {{.digest = minted.digest,
           .method = std::string(method),
           .provider = std::string(provider),
           .replaced = presented_session_digest(c.request),
           .ip = c.request.client_address,
           .user_agent = std::string(c.request.find("User-Agent").value_or("").substr(0, 500)),
           .request_id = c.request_id,
           .audited = c.audited},
          std::move(minted.key)};
}

http::json_text& open_user(http::json_text& out, uuid user, std::string_view name, std::string_view email) {
  return out.open("user").member("id", user).member("name", name).member("email", email);
}

http::json_text& open_session(http::json_text& out, uuid session, timestamp expires_at) {
  return out.open("session").member("id", session).member("expiresAt", expires_at);
}

task<reply> with_session(call& c, store::change<store::signed_in> done, secret_string secret, reply answer) {
  co_await c.use.changes.publish(std::move(done.touched));
  auto const& made = *done.outcome;
  for (auto const& [id, reason] : made.ended) c.use.sign_in.count_end(reason);
  answer.fields.emplace_back("Set-Cookie", session_cookie_field(secret, made.created_at, made.expires_at));
  remember_device(c, made.email, answer);
  co_return answer;
}

task<reply> signed_in_reply(call& c, store::change<store::signed_in> done, secret_string secret) {
  auto const& made = *done.outcome;
  http::json_text out;
  open_user(out, made.user, made.name, made.email).close();
  open_session(out, made.session, made.expires_at).close();
  reply answer{.text = out.take()};
  co_return co_await with_session(c, std::move(done), std::move(secret), std::move(answer));
}

task<result<reply>> preview_sign_in_link(call& c) {
  auto const secret = read_link_secret(text_member(c, "token"));
  if (!secret) co_return secret.error();
  auto const link = co_await c.use.stores.sign_ins.preview_link(*secret, c.until);
  if (!link) co_return link.error();
  http::json_text out;
  out.member("name", link->name)
      .member("email", link->email)
      .member("kind", link->kind)
      .member("expiresAt", link->expires_at)
      .member("setsPassword", link->sets_password && !c.use.sign_in.manages_address(link->email));
  co_return reply{.text = out.take()};
}

task<result<reply>> sign_in_by_link(call& c) {
  auto const secret = read_link_secret(text_member(c, "token"));
  if (!secret) co_return secret.error();
  auto hash = co_await hash_for_link(c, *secret);
  if (!hash) co_return hash.error();
  auto [session, key] = make_browser_session(c, "link");
  auto done = co_await c.use.stores.sign_ins.sign_in_by_link(*secret, std::move(*hash), std::move(session), c.until);
  c.use.sign_in.count_sign_in("link", done.outcome ? attempt_verdict::succeeded : attempt_verdict::failed);
  if (!done.outcome) co_return done.outcome.error();
  co_return co_await signed_in_reply(c, std::move(done), std::move(key));
}

task<result<reply>> sign_out(call& c) {
  auto done = co_await c.use.stores.sessions.end(c.caller.owner_id, c.caller.token_id,
                                                 std::string(session_end::sign_out), c.actor(), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return errc::session_ended;
  c.use.sign_in.count_end(session_end::sign_out);
  reply out{.status = 204};
  out.fields.emplace_back("Set-Cookie", sign_in::clear_cookie(sign_in::session_cookie, sign_in::same_site::strict));
  co_return out;
}

}  // namespace svc::api
