// The first byte chooses: the rest is a token as it arrives (r), or a header, a line end and a payload that the
// provider's own key signs, so that the claims are reached. No unsigned bytes are ever accepted, and what is accepted
// says what was expected.
#include "check.hpp"
#include "sign_in/oidc/id_token.hpp"
#include "support/signing_key.hpp"
#include "svc/http/json.hpp"

#include <cstdint>
#include <string>

using namespace svc;
using namespace svc::sign_in;

namespace {

id_token_expectation const expected{.issuer = "https://id.example.com",
                                    .client_id = "client",
                                    .nonce = "n",
                                    .groups_claim = "groups",
                                    .now = 1'795'000'000,
                                    .fresh_since = 1'795'000'000};

test::signing_key const& provider_key() {
  static auto const key = test::signing_key::elliptic();
  return key;
}

key_set const& provider_keys() {
  static auto const keys = parse_key_set(R"({"keys":[)" + provider_key().jwk(R"("kid":"e",)") + "]}").value();
  return keys;
}

void check_signed(std::string_view header, std::string_view payload) {
  auto const token = provider_key().sign("ES256", header, payload);
  auto const person = verify_id_token(token, provider_keys(), expected);
  if (!person) return check(!person.error().message.empty(), "a refusal has a sentence");
  check(read_id_token_header(token).value().algorithm == signature_algorithm::es256, "the algorithm of the key");
  auto const claims = http::parse_json(payload).value().as_object();
  check(claims.at("iss").as_string() == expected.issuer && claims.at("nonce").as_string() == expected.nonce,
        "issuer and nonce are equal");
  check(claims.at("sub").as_string() == person->subject && !person->subject.empty() && person->subject.size() <= 255,
        "a person");
  check(claims.contains("groups"), "groups were sent");
  check(claims.at("exp").to_number<double>() > 1'794'999'940, "not expired");
  for (char const c : person->email) check(c > ' ' && c < 0x7f, "an address of ASCII characters");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 1) return 0;
  auto const text = text_of(data + 1, size - 1);
  if (data[0] == 'r') {
    check(!verify_id_token(text, provider_keys(), expected).has_value(), "no forged token is accepted");
    return 0;
  }
  auto const end = std::min(text.find('\n'), text.size());
  check_signed(text.substr(0, end), text.substr(std::min(end + 1, text.size())));
  return 0;
}
