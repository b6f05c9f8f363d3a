// Any bytes are a credential or not; an accepted one is well-formed, and the part of it that is shown is not its
// secret.
#include "check.hpp"
#include "svc/domain/display_text.hpp"
#include "svc/domain/token.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>

using namespace svc;

namespace {

void check_token(std::string_view text) {
  auto const read = read_token(text);
  if (read.has_error()) {
    check(read.error().code == errc::invalid_token, "one kind of error");
    return;
  }
  auto const prefix = prefix_of(read->kind);
  auto const secret = text.substr(prefix.size());
  check(text.size() <= 256 && text.starts_with(prefix) && !secret.empty(), "a known prefix and a secret after it");
  check(std::ranges::all_of(secret, [](unsigned char c) { return std::isalnum(c) != 0; }), "letters and digits");
  check(secret.size() != 38 || text.ends_with(token_checksum(text.substr(0, text.size() - 6))), "a good checksum");
  check(read->digest == sha256(text), "the digest of the whole text");
  check(display_start(text).size() <= prefix.size() + 7, "four characters of the secret are shown");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  check_token(text);
  // No fuzzer finds a checksum: here it is given, and a single changed character must be detected.
  auto const body = "svc_live_" + std::string(text.substr(0, 32));
  auto whole = body + token_checksum(body);
  auto const good = read_token(whole).has_value();
  check_token(whole);
  if (whole.size() == 47 && good) {
    auto& changed = whole[9 + size % 38];
    changed = changed == 'a' ? 'b' : 'a';
    check(read_token(whole).has_error(), "one changed character is found");
  }

  if (auto const digest = parse_stored_digest(text)) {
    check(parse_stored_digest(to_hex(*digest)) == digest, "a digest reads back");
  }
  if (auto const kind = parse_token_kind(text)) check(to_string(*kind) == text, "a kind's name is its own");
  if (auto const name = checked_name(text)) {
    check(!has_hidden_character(*name), "an accepted name shows all of its characters");
    check(!name->empty() && text.find(*name) != std::string_view::npos, "a trimmed name");
    check(*checked_name(*name) == *name, "a name stays one");
  }
  return 0;
}
