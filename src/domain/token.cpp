#include "svc/domain/token.hpp"

#include "svc/core/random.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace svc {
namespace {

constexpr std::size_t max_token_length = 256;
constexpr std::size_t random_length = 32;
constexpr std::size_t ping_random_length = 24;
constexpr std::size_t checksum_length = 6;
constexpr std::size_t shown_length = 4;

struct kind_entry {
  token_kind kind;
  std::string_view name;
  std::string_view prefix;
};

constexpr std::array<kind_entry, 5> kinds{{
    {token_kind::cli, "cli", "svc_live_"},
    {token_kind::test, "test", "svc_test_"},
    {token_kind::trigger, "trigger", "svc_trigger_"},
    {token_kind::legacy_trigger, "legacy_trigger", "job_"},
    {token_kind::session, "session", "svc_session_"},
}};

/// The kinds that a request may send as a bearer credential.
constexpr auto bearers = std::span(kinds).first<4>();

/// All prefixes of secrets.
constexpr std::array<std::string_view, 9> prefixes{kinds[0].prefix, kinds[1].prefix, kinds[2].prefix,
                                                   kinds[3].prefix, kinds[4].prefix, runner_prefix,
                                                   ping_prefix,     link_prefix,     invitation_prefix};

/// The prefix that the text begins with; empty: none.
std::string_view known_prefix(std::string_view text) {
  auto const found =
      std::find_if(prefixes.begin(), prefixes.end(), [&](std::string_view p) { return text.starts_with(p); });
  return found == prefixes.end() ? std::string_view() : *found;
}

constexpr bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

std::string_view to_string(token_kind kind) {
  return kinds[static_cast<std::size_t>(kind)].name;
}

std::string_view prefix_of(token_kind kind) {
  return kinds[static_cast<std::size_t>(kind)].prefix;
}

std::optional<token_kind> parse_token_kind(std::string_view text) {
  for (auto const& entry : bearers) {
    if (entry.name == text) return entry.kind;
  }
  return std::nullopt;
}

std::string token_checksum(std::string_view text) {
  static constexpr char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string checksum(checksum_length, '0');
  std::uint32_t rest = crc32(text);
  for (auto iterator = checksum.rbegin(); iterator != checksum.rend(); ++iterator, rest /= 62)
    *iterator = base62[rest % 62];
  return checksum;
}

result<presented_token> read_token(std::string_view text) {
  if (text.size() > max_token_length) return errc::invalid_token;
  auto const entry =
      std::find_if(bearers.begin(), bearers.end(), [&](kind_entry const& k) { return text.starts_with(k.prefix); });
  if (entry == bearers.end()) return errc::invalid_token;
  auto const secret = text.substr(entry->prefix.size());
  if (secret.empty() || !std::all_of(secret.begin(), secret.end(), is_alphanumeric)) return errc::invalid_token;
  if (secret.size() == random_length + checksum_length) {
    auto const body = text.substr(0, text.size() - checksum_length);
    if (token_checksum(body) != text.substr(body.size())) return errc::invalid_token;
  }
  return presented_token{entry->kind, sha256(text)};
}

namespace {

minted_token mint(std::string_view prefix, std::size_t length = random_length) {
  std::string text(prefix);
  // Reserved, because growing would leave copies of the secret.
  text.reserve(prefix.size() + length + checksum_length);
  secret_string const random(random_alphanumeric(length));
  text += random.reveal();
  text += token_checksum(text);
  auto const digest = sha256(text);
  auto start = display_start(text);
  return {secret_string(std::move(text)), digest, std::move(start)};
}

}  // namespace

minted_token mint_token(token_kind kind) {
  return mint(prefix_of(kind));
}

minted_token mint_runner_token() {
  return mint(runner_prefix);
}

minted_token mint_ping_key() {
  return mint(ping_prefix, ping_random_length);
}

minted_token mint_link_secret() {
  return mint(link_prefix);
}

minted_token mint_invitation_secret() {
  return mint(invitation_prefix);
}

namespace {

/// Whether the text is what `mint` makes.
bool is_minted(std::string_view text, std::string_view prefix, std::size_t length) {
  if (!text.starts_with(prefix) || text.size() != prefix.size() + length + checksum_length) return false;
  if (!std::all_of(text.begin() + prefix.size(), text.end(), is_alphanumeric)) return false;
  auto const body = text.substr(0, text.size() - checksum_length);
  return token_checksum(body) == text.substr(body.size());
}

}  // namespace

result<sha256_digest> read_runner_token(std::string_view text) {
  if (!is_minted(text, runner_prefix, random_length)) return errc::invalid_token;
  return sha256(text);
}

result<sha256_digest> read_ping_key(std::string_view text) {
  if (!is_minted(text, ping_prefix, ping_random_length)) return errc::not_found;
  return sha256(text);
}

result<sha256_digest> read_session_secret(std::string_view text) {
  if (!is_minted(text, prefix_of(token_kind::session), random_length)) return errc::session_invalid;
  return sha256(text);
}

result<sha256_digest> read_link_secret(std::string_view text) {
  if (!is_minted(text, link_prefix, random_length)) return errc::link_over;
  return sha256(text);
}

result<sha256_digest> read_invitation_secret(std::string_view text) {
  if (!is_minted(text, invitation_prefix, random_length)) return errc::link_over;
  return sha256(text);
}

std::string display_start(std::string_view token) {
  auto const prefix = known_prefix(token);
  if (prefix.empty()) return "...";
  return std::string(token.substr(0, prefix.size() + shown_length)) + "...";
}

namespace {

/// Returns true if the characters after `prefix` may be a secret, also one that was cut off. Ordinary words follow
/// the prefixes too, as in `job_recovered` or `job_nightly_2`: those are short, or have lower-case letters only.
bool may_be_secret(std::string_view prefix, std::string_view secret) {
  // Shorter than any secret, so that one that was cut off is hidden too. A key after `job_` has 32 characters.
  constexpr std::size_t shortest = 8, shortest_after_job = 24;
  if (secret.size() < (prefix == prefix_of(token_kind::legacy_trigger) ? shortest_after_job : shortest)) return false;
  return !std::ranges::all_of(secret, [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

std::string without_tokens(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto const prefix = known_prefix(text);
    out += text.substr(0, std::max<std::size_t>(prefix.size(), 1));
    text.remove_prefix(std::max<std::size_t>(prefix.size(), 1));
    if (prefix.empty()) continue;
    auto const end = std::find_if_not(text.begin(), text.end(), is_alphanumeric);
    auto const secret = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    if (!may_be_secret(prefix, secret)) continue;
    out += "***";
    text.remove_prefix(secret.size());
  }
  return out;
}

std::optional<sha256_digest> parse_stored_digest(std::string_view text) {
  std::optional<byte_vector> bytes;
  if (text.size() == 64) bytes = from_hex(text);
  if (text.size() == 43) bytes = from_base64url(text);
  sha256_digest digest;
  if (!bytes || bytes->size() != digest.size()) return std::nullopt;
  std::copy(bytes->begin(), bytes->end(), digest.begin());
  return digest;
}

}  // namespace svc
