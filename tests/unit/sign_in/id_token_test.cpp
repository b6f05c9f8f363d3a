#include "sign_in/oidc/id_token.hpp"

#include "support/signing_key.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>

namespace svc::sign_in {
namespace {

using boost::json::object;

constexpr std::int64_t token_time = 1'795'000'000;

/// One key of each type, made once.
struct token_keys {
  test::signing_key rsa = test::signing_key::rsa(), stranger = test::signing_key::rsa(),
                    elliptic = test::signing_key::elliptic();
  key_set set =
      parse_key_set(R"({"keys":[)" + rsa.jwk(R"("kid":"r",)") + "," + elliptic.jwk(R"("kid":"e",)") + "]}").value();
};

token_keys& keys_of_test() {
  static token_keys keys;
  return keys;
}

object good_claims() {
  return {{"iss", "https://id.example.com"},
          {"aud", "client"},
          {"sub", "person-1"},
          {"exp", token_time + 300},
          {"iat", token_time},
          {"nonce", "n"},
          {"email", "Ann@Example.com"},
          {"email_verified", true},
          {"name", "Ann"},
          {"groups", {"a", "b"}},
          {"auth_time", token_time}};
}

id_token_expectation expectation() {
  return {.issuer = "https://id.example.com",
          .client_id = "client",
          .nonce = "n",
          .groups_claim = "groups",
          .now = token_time};
}

std::string rs256(object const& claims) {
  return keys_of_test().rsa.sign("RS256", R"({"alg":"RS256","kid":"r"})", boost::json::serialize(claims));
}

/// "accepted", or the name of the failure.
std::string outcome_of(std::string const& token, id_token_expectation const& expected = expectation()) {
  auto const person = verify_id_token(token, keys_of_test().set, expected);
  return person ? "accepted" : std::string(to_string(person.error().failure));
}

TEST_CASE("a verified ID token says who the person is") {
  auto const person = verify_id_token(rs256(good_claims()), keys_of_test().set, expectation());
  REQUIRE(person.has_value());
  CHECK(person->issuer == "https://id.example.com");
  CHECK(person->subject == "person-1");
  CHECK(person->email == "ann@example.com");
  CHECK(person->email_verified == true);
  CHECK(person->name == "Ann");
  CHECK(person->groups == std::vector<std::string>{"a", "b"});
}

TEST_CASE("an ID token is accepted only with an algorithm of the list, made by the key of that type") {
  auto const& keys = keys_of_test();
  auto const claims = boost::json::serialize(good_claims());
  auto const& pem = keys.rsa.pem();
  struct {
    char const* name;
    std::string token;
    char const* outcome;
  } const cases[] = {
      {"RS256", keys.rsa.sign("RS256", R"({"alg":"RS256","kid":"r"})", claims), "accepted"},
      {"PS256", keys.rsa.sign("PS256", R"({"alg":"PS256","kid":"r"})", claims), "accepted"},
      {"ES256", keys.elliptic.sign("ES256", R"({"alg":"ES256","kid":"e"})", claims), "accepted"},
      {"no kid: one key of the type", keys.elliptic.sign("ES256", R"({"alg":"ES256"})", claims), "accepted"},
      {"none", keys.rsa.sign("none", R"({"alg":"none"})", claims), "algorithm_refused"},
      {"None", keys.rsa.sign("none", R"({"alg":"None"})", claims), "algorithm_refused"},
      {"RS256 without a signature", keys.rsa.sign("none", R"({"alg":"RS256","kid":"r"})", claims),
       "signature_invalid"},
      {"HMAC with the public key", keys.rsa.sign("HS256", R"({"alg":"HS256","kid":"r"})", claims, pem),
       "algorithm_refused"},
      {"HMAC that claims RS256", keys.rsa.sign("HS256", R"({"alg":"RS256","kid":"r"})", claims, pem),
       "signature_invalid"},
      {"RS512", keys.rsa.sign("RS512", R"({"alg":"RS512","kid":"r"})", claims), "algorithm_refused"},
      {"PS256 that claims RS256", keys.rsa.sign("PS256", R"({"alg":"RS256","kid":"r"})", claims),
       "signature_invalid"},
      {"RS256 that claims the kid of the elliptic key",
       keys.rsa.sign("RS256", R"({"alg":"RS256","kid":"e"})", claims), "key_unknown"},
      {"ES256 that claims the kid of the RSA key",
       keys.elliptic.sign("ES256", R"({"alg":"ES256","kid":"r"})", claims), "key_unknown"},
      {"another key with a known kid", keys.stranger.sign("RS256", R"({"alg":"RS256","kid":"r"})", claims),
       "signature_invalid"},
      {"an unknown kid", keys.rsa.sign("RS256", R"({"alg":"RS256","kid":"x"})", claims), "key_unknown"},
      {"an empty kid", keys.rsa.sign("RS256", R"({"alg":"RS256","kid":""})", claims), "key_unknown"},
      {"a kid that is no text", keys.rsa.sign("RS256", R"({"alg":"RS256","kid":1})", claims), "token_malformed"},
      {"two algorithms", keys.rsa.sign("RS256", R"({"alg":"none","alg":"RS256","kid":"r"})", claims),
       "token_malformed"},
      {"no algorithm", keys.rsa.sign("RS256", R"({"kid":"r"})", claims), "algorithm_refused"},
      {"a critical header", keys.rsa.sign("RS256", R"({"alg":"RS256","kid":"r","crit":["b64"],"b64":false})", claims),
       "algorithm_refused"},
      {"a key in the header",
       keys.stranger.sign("RS256", R"({"alg":"RS256","jwk":)" + keys.stranger.jwk() + "}", claims),
       "signature_invalid"},
      {"a payload that is no object", keys.rsa.sign("RS256", R"({"alg":"RS256","kid":"r"})", "[]"),
       "token_malformed"},
      {"a payload with a claim twice",
       keys.rsa.sign("RS256", R"({"alg":"RS256","kid":"r"})", R"({"sub":"a","sub":"b"})"), "token_malformed"},
      {"nothing", "", "token_malformed"},
      {"two parts", "e30.e30", "token_malformed"},
      {"five parts", "e30.e30.e30.e30.e30", "token_malformed"},
      {"padding", keys.rsa.sign("RS256", R"({"alg":"RS256","kid":"r"})", claims) + "=", "token_malformed"},
      {"longer than 64 KiB", std::string(longest_id_token + 1, 'a'), "token_malformed"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(outcome_of(c.token) == c.outcome);
  }
}

TEST_CASE("every byte of an ID token counts") {
  auto const token = rs256(good_claims());
  for (std::size_t i = 0; i < token.size(); i += 7) {
    auto changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    CAPTURE(i);
    CHECK(outcome_of(changed) != "accepted");
  }
}

TEST_CASE("each claim of an ID token is compared, with a minute's tolerance for clocks") {
  struct {
    char const* name;
    char const* claim;
    std::string value;  ///< JSON; empty: the claim is missing
    char const* outcome;
  } const cases[] = {
      {"another issuer", "iss", R"("https://id.example.org")", "issuer_mismatch"},
      {"the issuer with a slash", "iss", R"("https://id.example.com/")", "issuer_mismatch"},
      {"an issuer that is no text", "iss", R"(["https://id.example.com"])", "issuer_mismatch"},
      {"no issuer", "iss", "", "issuer_mismatch"},
      {"another client", "aud", R"("other")", "audience_mismatch"},
      {"a list with the client", "aud", R"(["client"])", "accepted"},
      {"two audiences without azp", "aud", R"(["client","other"])", "audience_mismatch"},
      {"an empty list", "aud", "[]", "audience_mismatch"},
      {"an audience that is no text", "aud", "1", "claims_invalid"},
      {"no audience", "aud", "", "claims_invalid"},
      {"azp of the client", "azp", R"("client")", "accepted"},
      {"azp of another client", "azp", R"("other")", "audience_mismatch"},
      {"azp that is no text", "azp", "null", "audience_mismatch"},
      {"expired 59 s ago", "exp", std::to_string(token_time - 59), "accepted"},
      {"expired 60 s ago", "exp", std::to_string(token_time - 60), "token_expired"},
      {"an expiry with a fraction", "exp", "1795000300.5", "accepted"},
      {"an expiry that is text", "exp", R"("1795000300")", "claims_invalid"},
      {"an expiry beyond all times", "exp", "1e300", "claims_invalid"},
      {"a negative expiry", "exp", "-1", "claims_invalid"},
      {"no expiry", "exp", "", "claims_invalid"},
      {"issued in 60 s", "iat", std::to_string(token_time + 60), "accepted"},
      {"issued in 61 s", "iat", std::to_string(token_time + 61), "issued_at_invalid"},
      {"issued 660 s ago", "iat", std::to_string(token_time - 660), "accepted"},
      {"issued 661 s ago", "iat", std::to_string(token_time - 661), "issued_at_invalid"},
      {"no time of issue", "iat", "", "claims_invalid"},
      {"another nonce", "nonce", R"("m")", "nonce_mismatch"},
      {"no nonce", "nonce", "", "nonce_mismatch"},
      {"no subject", "sub", "", "claims_invalid"},
      {"an empty subject", "sub", R"("")", "claims_invalid"},
      {"a subject of 255 bytes", "sub", '"' + std::string(255, 's') + '"', "accepted"},
      {"a subject of 256 bytes", "sub", '"' + std::string(256, 's') + '"', "claims_invalid"},
      {"a subject with a line end", "sub", R"("a\n")", "claims_invalid"},
      {"no groups", "groups", "", "claims_invalid"},
      {"one group as a text", "groups", R"("a")", "claims_invalid"},
      {"a group that is no text", "groups", R"(["a",1])", "claims_invalid"},
      {"an empty list of groups", "groups", "[]", "accepted"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto claims = good_claims();
    claims.erase(c.claim);
    if (!c.value.empty()) claims[c.claim] = boost::json::parse(c.value);
    CHECK(outcome_of(rs256(claims)) == c.outcome);
  }
  auto claims = good_claims();
  claims["aud"] = {"client", "other"};
  claims["azp"] = "client";
  CHECK(outcome_of(rs256(claims)) == "accepted");
}

TEST_CASE("only a provider with a groups_claim must send groups") {
  auto claims = good_claims();
  claims.erase("groups");
  auto expected = expectation();
  expected.groups_claim.clear();
  CHECK(outcome_of(rs256(claims), expected) == "accepted");
}

TEST_CASE("a fresh sign-in needs an auth_time that is not before its start") {
  auto expected = expectation();
  expected.fresh_since = token_time - 5;
  struct {
    std::string auth_time;
    char const* outcome;
  } const cases[] = {
      {std::to_string(token_time), "accepted"},
      {std::to_string(token_time - 65), "accepted"},
      {std::to_string(token_time - 66), "sign_in_not_fresh"},
      {std::to_string(token_time + 61), "sign_in_not_fresh"},
      {"\"now\"", "sign_in_not_fresh"},
      {"", "sign_in_not_fresh"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.auth_time);
    auto claims = good_claims();
    claims.erase("auth_time");
    if (!c.auth_time.empty()) claims["auth_time"] = boost::json::parse(c.auth_time);
    CHECK(outcome_of(rs256(claims), expected) == c.outcome);
    CHECK(outcome_of(rs256(claims)) == "accepted");
  }
}

TEST_CASE("an address is verified only if the token says true, and unstated only if it says nothing") {
  struct {
    std::string verified;
    std::optional<bool> expected;
  } const cases[] = {
      {"true", true}, {"false", false}, {"\"true\"", false}, {"1", false}, {"null", false}, {"", std::nullopt},
  };
  for (auto const& c : cases) {
    CAPTURE(c.verified);
    auto claims = good_claims();
    claims.erase("email_verified");
    if (!c.verified.empty()) claims["email_verified"] = boost::json::parse(c.verified);
    auto const person = verify_id_token(rs256(claims), keys_of_test().set, expectation());
    REQUIRE(person.has_value());
    CHECK(person->email_verified == c.expected);
  }
}

TEST_CASE("a name with characters that nobody can see counts as no name") {
  auto claims = good_claims();
  for (char const* name : {"Ann\u202E", "\u200BAnn", "A\u2066nn"}) {
    CAPTURE(name);
    claims["name"] = name;
    auto const person = verify_id_token(rs256(claims), keys_of_test().set, expectation());
    REQUIRE(person.has_value());
    CHECK(person->name.empty());
  }
}

TEST_CASE("a claim that is no address of ASCII characters counts as no address") {
  // U+212A KELVIN SIGN: PostgreSQL's lower() makes it a k.
  for (auto const* const email : {"", "ann", "ann@", "@example.com",
                                  "\xE2\x84\xAA"
                                  "im@example.com",
                                  "a b@example.com", "ann@example.com\n", " ann@example.com"}) {
    CAPTURE(email);
    auto claims = good_claims();
    claims["email"] = email;
    auto const person = verify_id_token(rs256(claims), keys_of_test().set, expectation());
    REQUIRE(person.has_value());
    CHECK(person->email.empty());
  }
}

}  // namespace
}  // namespace svc::sign_in
