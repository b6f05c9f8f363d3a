#pragma once

#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// The kinds of credential, distinguished by their prefix (contract section 2.2).
enum class token_kind : std::uint8_t {
  cli,             ///< svc_live_
  test,            ///< svc_test_, accepted like a CLI token
  trigger,         ///< svc_trigger_
  legacy_trigger,  ///< job_, accepted like a trigger key
  session,         ///< svc_session_, only in the cookie of a browser
};

std::string_view to_string(token_kind kind);  ///< cli, test, trigger, legacy_trigger, session
std::optional<token_kind> parse_token_kind(std::string_view text);
std::string_view prefix_of(token_kind kind);
inline bool is_trigger_key(token_kind kind) {
  return kind == token_kind::trigger || kind == token_kind::legacy_trigger;
}

/// A well-formed bearer credential. Only the stores know whether it exists and is valid.
struct presented_token {
  token_kind kind;
  sha256_digest digest;
};

/// Checks prefix, alphabet and (for tokens of the length that we mint) the checksum: CRC-32/ISO-HDLC of
/// everything before it, six characters of big-endian base62. Tokens of another length are older ones without
/// a checksum. Returns `invalid_token` for more than 256 characters, an unknown prefix or a bad checksum, so
/// that no store is asked. Returns it also for the secret of a session, which is no bearer credential.
result<presented_token> read_token(std::string_view text);

/// A new credential. The user sees `key` once; only `digest` and `start` are stored.
struct minted_token {
  secret_string key;
  sha256_digest digest;
  std::string start;
};
minted_token mint_token(token_kind kind);

/// Runners' tokens are separate from the kinds above, because no public route accepts them. They have prefix,
/// 32 characters and checksum. Any other text gives `invalid_token`, and no store is asked.
inline constexpr std::string_view runner_prefix = "svc_runner_";
result<sha256_digest> read_runner_token(std::string_view text);
minted_token mint_runner_token();

/// Keys of heartbeats are a part of a path. They have prefix, 24 characters and checksum. Any other text
/// gives `not_found`, and no store is asked.
inline constexpr std::string_view ping_prefix = "svc_beat_";
result<sha256_digest> read_ping_key(std::string_view text);
minted_token mint_ping_key();

/// Secrets of sessions (in the cookie), of links and of invitations (in bodies) have prefix, 32 characters
/// and checksum. Any other text gives `session_invalid` or `link_over`, and no store is asked.
inline constexpr std::string_view link_prefix = "svc_link_";
inline constexpr std::string_view invitation_prefix = "svc_invite_";
result<sha256_digest> read_session_secret(std::string_view text);
result<sha256_digest> read_link_secret(std::string_view text);
result<sha256_digest> read_invitation_secret(std::string_view text);
minted_token mint_link_secret();
minted_token mint_invitation_secret();

/// Returns prefix and first four characters, then `...`; for display only.
std::string display_start(std::string_view token);

/// Returns the text with `***` for the secret part of all that looks like a credential, even a truncated one.
/// Words such as `job_recovered` stay. For answers and logs, whose texts may quote a credential by mistake.
std::string without_tokens(std::string_view text);

/// Returns the six checksum characters of `text` (prefix and random part).
std::string token_checksum(std::string_view text);

/// Reads a SHA-256 as 64 lower-case hex characters or as 43 of base64url without padding.
std::optional<sha256_digest> parse_stored_digest(std::string_view text);

}  // namespace svc
