#include "cli/settings/token_scan.hpp"

#include "svc/domain/token.hpp"

#include <algorithm>
#include <array>
#include <bitset>

namespace svc::cli {
namespace {

constexpr std::size_t minted_length = 38;    // 32 random characters and 6 of checksum
constexpr std::size_t shortest_older = 24;   // imported ones have 32
constexpr std::size_t longest_secret = 256;  // the service reads no longer token
constexpr std::size_t longest_prefix = 12;   // svc_trigger_
constexpr std::size_t legacy_key_length = 32;
// The scanner keeps this many bytes of the text's end, because a credential that begins in them may not be complete.
constexpr std::size_t kept = longest_prefix + longest_secret;

bool scan_is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool scan_is_alphanumeric(char c) {
  return scan_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool looks_random(std::string_view secret) {
  std::bitset<256> different;
  for (char const c : secret) different.set(static_cast<unsigned char>(c));
  auto const digits = std::count_if(secret.begin(), secret.end(), scan_is_digit);
  auto const letters = static_cast<std::ptrdiff_t>(secret.size()) - digits;
  return digits >= 2 && letters >= 2 && different.count() >= 8;
}

bool is_legacy_key(std::string_view secret) {
  return secret.size() == legacy_key_length && looks_random(secret) &&
         std::all_of(secret.begin(), secret.end(), [](char c) { return scan_is_digit(c) || (c >= 'a' && c <= 'f'); });
}

std::string_view prefix_at(std::string_view text) {
  static std::array const prefixes{std::string_view("svc_live_"),
                                   std::string_view("svc_test_"),
                                   std::string_view("svc_trigger_"),
                                   std::string_view("job_"),
                                   runner_prefix,
                                   prefix_of(token_kind::session),
                                   link_prefix,
                                   invitation_prefix};
  auto const found = std::find_if(prefixes.begin(), prefixes.end(), [&](auto p) { return text.starts_with(p); });
  return found == prefixes.end() ? std::string_view() : *found;
}

/// True for kinds of which the service has minted all, so that none lacks a checksum.
bool has_checksum(std::string_view prefix) {
  return prefix == runner_prefix || prefix == prefix_of(token_kind::session) || prefix == link_prefix ||
         prefix == invitation_prefix;
}

bool is_minted_secret(std::string_view text) {
  return read_runner_token(text).has_value() || read_session_secret(text).has_value() ||
         read_link_secret(text).has_value() || read_invitation_secret(text).has_value();
}

/// Length of the credential that `text` begins with; 0: none. `before`: the character in front of it.
std::size_t credential_length(std::string_view text, char before) {
  auto const prefix = prefix_at(text);
  if (prefix.empty()) return 0;
  auto const rest = text.substr(prefix.size(), longest_secret);
  auto const end = std::find_if_not(rest.begin(), rest.end(), scan_is_alphanumeric);
  auto const secret = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
  // Whatever follows it, a right checksum is not a coincidence.
  auto const minted = text.substr(0, prefix.size() + minted_length);
  bool const always_checked = has_checksum(prefix);
  bool const checked =
      secret.size() >= minted_length && (always_checked ? is_minted_secret(minted) : read_token(minted).has_value());
  if (checked) return minted.size();
  if (secret.size() == minted_length || always_checked) return 0;
  bool const within_word = scan_is_alphanumeric(before) || before == '_';
  bool const older = prefix == prefix_of(token_kind::legacy_trigger)
                         ? !within_word && is_legacy_key(secret)
                         : secret.size() >= shortest_older && looks_random(secret);
  return older ? prefix.size() + secret.size() : 0;
}

/// All prefixes have an underscore after their first three characters.
constexpr std::size_t before_underscore = 3;

}  // namespace

void token_scanner::move_to(std::size_t position) {
  for (; position_ < position; ++position_) {
    bool const line_end = text_[position_] == '\n';
    line_ += line_end ? 1 : 0;
    column_ = line_end ? 1 : column_ + 1;
  }
}

void token_scanner::search(bool last) {
  std::string_view const text = text_;
  auto const end = last ? text.size() : text.size() - std::min(text.size(), kept);
  while (next_ < end) {
    auto const underscore = text.find('_', next_ + before_underscore);
    auto const start = underscore == std::string_view::npos ? end : underscore - before_underscore;
    if (start >= end) {
      next_ = end;
      break;
    }
    auto const length = credential_length(text.substr(start), start == 0 ? ' ' : text[start - 1]);
    if (length > 0) {
      move_to(start);
      found_.push_back({line_, column_, display_start(text.substr(start, length))});
    }
    next_ = start + std::max<std::size_t>(length, 1);
  }
}

void token_scanner::feed(std::string_view piece) {
  text_ += piece;
  search(false);
  // One character stays in front, because a word's beginning matters.
  auto const gone = next_ - std::min<std::size_t>(next_, 1);
  move_to(gone);
  text_.erase(0, gone);
  next_ -= gone;
  position_ -= gone;
}

std::vector<found_token> token_scanner::finish() {
  search(true);
  auto out = std::move(found_);
  *this = {};
  return out;
}

std::vector<found_token> find_tokens(std::string_view text) {
  token_scanner scanner;
  scanner.feed(text);
  return scanner.finish();
}

std::string warn_of_token(std::string_view text, std::string const& subject, std::string const& remedy) {
  auto const found = find_tokens(text);
  if (found.empty()) return {};
  return subject + " contains the token " + found.front().shown +
         ", and every member of the project can read it: " + remedy +
         " Then revoke this token (svc token revoke, svc job keys revoke), because copies may exist.";
}

}  // namespace svc::cli
