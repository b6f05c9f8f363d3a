// The first byte chooses the document of a provider: metadata (d), keys (k), or an answer of the token endpoint (t)
// whose status the next byte chooses. What is accepted holds what the next step relies on.
#include "check.hpp"
#include "sign_in/oidc/discovery.hpp"
#include "sign_in/oidc/jwks.hpp"
#include "sign_in/oidc/token_answer.hpp"

#include <cstdint>
#include <string>

using namespace svc;
using namespace svc::sign_in;

namespace {

void check_metadata(std::string_view text) {
  auto const document = parse_discovery(text, "https://id.example.com");
  if (!document) return check(!document.error().message.empty(), "a refusal has a sentence");
  check(document->authorization_endpoint.starts_with("https://"), "browsers are sent to https");
  check(document->authorization_endpoint.find('#') == std::string::npos, "a query can be appended");
  check(document->token_endpoint.where.secure && document->jwks_uri.where.secure, "secrets are sent to https");
}

void check_keys(std::string_view text) {
  auto const keys = parse_key_set(text);
  if (!keys) return check(!keys.error().message.empty(), "a refusal has a sentence");
  check(!keys->keys.empty() && keys->keys.size() <= most_keys, "a bounded number of keys");
  for (auto const& key : keys->keys) {
    check(key.handle != nullptr, "every key is usable");
    check(key.fits(signature_algorithm::es256) != key.fits(signature_algorithm::rs256) || key.algorithm.has_value(),
          "of one type");
  }
}

void check_answer(int status, std::string_view text) {
  auto const token = read_token_answer(status, text);
  if (token) check(status == 200 && !token->reveal().empty(), "only 200 has tokens");
}

void check_issuer(std::string_view text) {
  auto const url = discovery_url(text);
  if (url)
    check(url->where.secure && url->target.ends_with("/.well-known/openid-configuration"), "below an https URL");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  auto const text = text_of(data + 1, size - 1);
  constexpr int statuses[] = {200, 400, 401, 302, 500};
  switch (data[0]) {
    case 'd':
      check_metadata(text);
      break;
    case 'k':
      check_keys(text);
      break;
    case 'i':
      check_issuer(text);
      break;
    default:
      check_answer(statuses[data[1] % 5], text.substr(1));
  }
  return 0;
}
