#pragma once

#include "svc/api/call.hpp"
#include "svc/store/accounts/sign_in_store.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::api {

/// A new session for the browser of this call, and its secret, which goes into the cookie.
struct browser_session {
  store::new_session session;
  secret_string secret;
};

/// Returns a text of the body; the contract requires it.
std::string_view text_member(call const& c, std::string_view name);

/// Counts an attempt of the subject in a window for callers without a token. Fails with too_many_attempts, and the
/// answer then says when the next attempt is possible.
task<result<limit_decision>> counted_attempt(call& c, rate_class name, std::string subject);

/// Returns the value of the cookie; empty if the request has none, or several, of which one was planted.
std::string_view presented_cookie(http::request const& head, std::string_view name);

/// Returns the digest of the session whose cookie the browser has sent; a cookie in doubt counts as none.
std::optional<sha256_digest> presented_session_digest(http::request const& head);

/// `replaced` is the browser's previous session, if its cookie has one.
browser_session make_browser_session(call const& c, std::string_view method, std::string_view provider = {});

/// Writes the start of `user` or `session` with the members that all answers have. The caller adds its own and closes
/// the object.
http::json_text& open_user(http::json_text& out, uuid user, std::string_view name, std::string_view email);
http::json_text& open_session(http::json_text& out, uuid session, timestamp expires_at);

/// Ends a sign-in that has succeeded: publishes its changes, counts the sessions that it has ended, and adds the
/// cookies of the session and of the device to the answer.
task<reply> with_session(call& c, store::change<store::signed_in> done, secret_string secret, reply answer);

/// The same for an answer that shows the user and the session.
task<reply> signed_in_reply(call& c, store::change<store::signed_in> done, secret_string secret);

/// Adds the cookie by which the service recognizes this browser at the next sign-in to the account, so that the
/// owner's attempts count apart from those of strangers.
void remember_device(call const& c, std::string_view email, reply& answer);

/// Returns the texts that others know of a person, for `sign_in::judge_password`.
std::vector<std::string> known_words(call const& c, std::string_view name, std::string_view email);

/// Returns the hash of the new password that was sent with a link, or `std::nullopt` without one. The link is not
/// spent by a refusal: link_over, sign_in_refused, validation_failed.
task<result<std::optional<std::string>>> hash_for_link(call& c, sha256_digest link);

/// Returns the field that replaces the session's cookie for the rest of its life.
std::string session_cookie_field(secret_string const& secret, timestamp now, timestamp expires_at);

}  // namespace svc::api
