// The documents that a provider sends: metadata, keys, answers with tokens; and how long they are remembered.
#include "sign_in/oidc/discovery.hpp"
#include "sign_in/oidc/jwks.hpp"
#include "sign_in/oidc/provider_memory.hpp"
#include "sign_in/oidc/token_answer.hpp"
#include "support/signing_key.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <string>

namespace svc::sign_in {
namespace {

using boost::json::object;

constexpr char const* issuer = "https://id.example.com/realm";

object good_document() {
  return {{"issuer", issuer},
          {"authorization_endpoint", "https://id.example.com/auth?tenant=1"},
          {"token_endpoint", "https://id.example.com/token"},
          {"jwks_uri", "https://keys.example.net/jwks"}};
}

TEST_CASE("the metadata of an issuer are below it") {
  struct {
    char const* issuer;
    char const* url;  ///< null: refused
  } const cases[] = {
      {"https://id.example.com", "https://id.example.com/.well-known/openid-configuration"},
      {"https://id.example.com/", "https://id.example.com/.well-known/openid-configuration"},
      {"https://id.example.com:8443/a/b", "https://id.example.com:8443/a/b/.well-known/openid-configuration"},
      {"http://id.example.com", nullptr},
      {"https://id.example.com?x=1", nullptr},
      {"https://id.example.com/#x", nullptr},
      {"https://user@id.example.com", nullptr},
      {"id.example.com", nullptr},
      {"", nullptr},
  };
  for (auto const& c : cases) {
    CAPTURE(c.issuer);
    auto const url = discovery_url(c.issuer);
    CHECK((url ? url->to_string() : "") == (c.url != nullptr ? c.url : ""));
  }
}

TEST_CASE("metadata are accepted only from the configured issuer, with https endpoints and the required members") {
  struct {
    char const* name;
    char const* member;
    char const* value;  ///< JSON; null: the member is missing
    char const* outcome;
  } const cases[] = {
      {"as it should be", "extra", "1", "ok"},
      {"another issuer", "issuer", R"("https://id.example.com")", "answer_invalid"},
      {"the issuer with a slash", "issuer", R"("https://id.example.com/realm/")", "answer_invalid"},
      {"no issuer", "issuer", nullptr, "answer_invalid"},
      {"no authorization endpoint", "authorization_endpoint", nullptr, "answer_invalid"},
      {"plain http", "authorization_endpoint", R"("http://id.example.com/auth")", "answer_invalid"},
      {"a script", "authorization_endpoint", "\"javascript:alert(1)\"", "answer_invalid"},
      {"a plain token endpoint", "token_endpoint", R"("http://id.example.com/token")", "answer_invalid"},
      {"a token endpoint that is no text", "token_endpoint", "{}", "answer_invalid"},
      {"no keys", "jwks_uri", nullptr, "answer_invalid"},
      {"code among others", "response_types_supported", R"(["id_token","code"])", "ok"},
      {"no code", "response_types_supported", R"(["id_token"])", "unsupported"},
      {"S256", "code_challenge_methods_supported", R"(["plain","S256"])", "ok"},
      {"only plain", "code_challenge_methods_supported", R"(["plain"])", "unsupported"},
      {"an accepted algorithm", "id_token_signing_alg_values_supported", R"(["HS256","ES256"])", "ok"},
      {"only others", "id_token_signing_alg_values_supported", R"(["HS256","none"])", "unsupported"},
      {"a list that is no list", "id_token_signing_alg_values_supported", "1", "unsupported"},
      {"only private_key_jwt", "token_endpoint_auth_methods_supported", R"(["private_key_jwt"])", "unsupported"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto document = good_document();
    document.erase(c.member);
    if (c.value != nullptr) document[c.member] = boost::json::parse(c.value);
    auto const parsed = parse_discovery(boost::json::serialize(document), issuer);
    CHECK((parsed ? "ok" : to_string(parsed.error().failure)) == std::string_view(c.outcome));
  }
  for (auto const* const text : {"", "[]", "{", "null", R"({"issuer":1,"issuer":2})"})
    CHECK_FALSE(parse_discovery(text, issuer).has_value());
  CHECK_FALSE(parse_discovery(std::string(256 * 1024 + 1, ' '), issuer).has_value());
}

TEST_CASE("metadata choose the client's proof, and say whether the callback names the issuer") {
  struct {
    char const* methods;
    client_authentication expected;
  } const cases[] = {{nullptr, client_authentication::basic},
                     {R"(["client_secret_post","client_secret_basic"])", client_authentication::basic},
                     {R"(["private_key_jwt","client_secret_post"])", client_authentication::post}};
  for (auto const& c : cases) {
    auto document = good_document();
    if (c.methods != nullptr) document["token_endpoint_auth_methods_supported"] = boost::json::parse(c.methods);
    auto const parsed = parse_discovery(boost::json::serialize(document), issuer);
    REQUIRE(parsed.has_value());
    CHECK(parsed->authentication == c.expected);
    CHECK_FALSE(parsed->issuer_in_callback);
    CHECK(parsed->authorization_endpoint == "https://id.example.com/auth?tenant=1");
  }
  auto document = good_document();
  document["authorization_response_iss_parameter_supported"] = true;
  CHECK(parse_discovery(boost::json::serialize(document), issuer).value().issuer_in_callback);
}

TEST_CASE("a key set keeps the keys that can verify ID tokens") {
  auto const rsa = test::signing_key::rsa(), small = test::signing_key::rsa(1024);
  auto const p256 = test::signing_key::elliptic(), p384 = test::signing_key::elliptic("P-384");
  auto with_exponent = [&](char const* exponent) {
    auto key = boost::json::parse(rsa.jwk()).as_object();
    key["e"] = exponent;
    return boost::json::serialize(key);
  };
  auto off_curve = boost::json::parse(p256.jwk()).as_object();
  off_curve["y"] = off_curve["x"];
  struct {
    char const* name;
    std::string key;
    bool kept;
  } const cases[] = {
      {"RSA", rsa.jwk(), true},
      {"RSA for signatures", rsa.jwk(R"("use":"sig","alg":"RS256",)"), true},
      {"RSA to verify", rsa.jwk(R"("key_ops":["verify"],)"), true},
      {"RSA for encryption", rsa.jwk(R"("use":"enc",)"), false},
      {"RSA to sign", rsa.jwk(R"("key_ops":["sign"],)"), false},
      {"RSA for another algorithm", rsa.jwk(R"("alg":"RS512",)"), false},
      {"RSA for an HMAC", rsa.jwk(R"("alg":"HS256",)"), false},
      {"RSA of 1024 bits", small.jwk(), false},
      {"RSA with exponent 1", with_exponent("AQ"), false},
      {"RSA with exponent 1 and zeros", with_exponent("AAAB"), false},
      {"RSA with exponent 3", with_exponent("Aw"), true},
      {"RSA with an even exponent", with_exponent("BA"), false},
      {"RSA without an exponent", with_exponent(""), false},
      {"RSA with a long exponent", with_exponent("AQAAAAAAAAAB"), false},
      {"P-256", p256.jwk(), true},
      {"P-384", p384.jwk(), false},
      {"a point that is not on the curve", boost::json::serialize(off_curve), false},
      {"a secret", R"({"kty":"oct","k":"AAAA"})", false},
      {"another type", R"({"kty":"OKP","crv":"Ed25519","x":"AAAA"})", false},
      {"no object", "1", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const set = parse_key_set(R"({"keys":[)" + c.key + "]}");
    CHECK(set.has_value() == c.kept);
    // One bad key does not take the others.
    auto const both = parse_key_set(R"({"keys":[)" + c.key + "," + p256.jwk(R"("kid":"x",)") + "]}");
    REQUIRE(both.has_value());
    CHECK(both->keys.size() == (c.kept ? 2 : 1));
  }
  for (auto const* const text : {"", "{}", "[]", R"({"keys":{}})", R"({"keys":[]})"})
    CHECK_FALSE(parse_key_set(text).has_value());
  std::string many = R"({"keys":[)";
  for (std::size_t i = 0; i < most_keys; ++i) many += p256.jwk() + ",";
  CHECK(parse_key_set(many + p256.jwk() + "]}").value().keys.size() == most_keys);
}

TEST_CASE("a token without kid has a key only if exactly one fits") {
  auto const first = test::signing_key::rsa(), second = test::signing_key::rsa();
  auto const alone = parse_key_set(R"({"keys":[)" + first.jwk(R"("kid":"1",)") + "]}").value();
  auto const both = parse_key_set(R"({"keys":[)" + first.jwk(R"("kid":"1",)") + "," +
                                  second.jwk(R"("kid":"2","alg":"PS256",)") + "]}")
                        .value();
  using enum signature_algorithm;
  CHECK(alone.find(std::nullopt, rs256) == alone.keys.data());
  CHECK(alone.find(std::nullopt, es256) == nullptr);
  CHECK(both.find(std::nullopt, ps256) == nullptr);
  CHECK(both.find(std::nullopt, rs256) == both.keys.data());
  CHECK(both.find("2", ps256) == &both.keys[1]);
  CHECK(both.find("2", rs256) == nullptr);
  CHECK(both.find("3", rs256) == nullptr);
}

TEST_CASE("an answer of the token endpoint is an ID token or a reason") {
  struct {
    char const* name;
    int status;
    std::string body;
    char const* outcome;
  } const cases[] = {
      {"tokens", 200, R"({"token_type":"Bearer","access_token":"a","id_token":"t"})", "ok"},
      {"any case of the type", 200, R"({"token_type":"bearer","id_token":"t"})", "ok"},
      {"no ID token", 200, R"({"token_type":"Bearer","access_token":"a"})", "answer_invalid"},
      {"an empty ID token", 200, R"({"token_type":"Bearer","id_token":""})", "answer_invalid"},
      {"an ID token that is no text", 200, R"({"token_type":"Bearer","id_token":{}})", "answer_invalid"},
      {"another type", 200, R"({"token_type":"DPoP","id_token":"t"})", "answer_invalid"},
      {"an error with status 200", 200, R"({"error":"invalid_grant"})", "answer_invalid"},
      {"a page", 200, "<html>", "answer_invalid"},
      {"a used code", 400, R"({"error":"invalid_grant"})", "code_refused"},
      {"an unknown client", 401, R"({"error":"invalid_client"})", "client_refused"},
      {"401 without JSON", 401, "", "client_refused"},
      {"another error", 400, R"({"error":"invalid_request"})", "answer_invalid"},
      {"tokens with status 400", 400, R"({"token_type":"Bearer","id_token":"t"})", "answer_invalid"},
      {"a redirect", 302, "", "answer_invalid"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const token = read_token_answer(c.status, c.body);
    CHECK((token ? "ok" : to_string(token.error().failure)) == std::string_view(c.outcome));
  }
}

TEST_CASE("the client proves its secret as the metadata say, form-encoded in Basic") {
  oidc_settings settings{.public_url = "https://svc.example.com"};
  settings.providers.push_back({.id = "corp", .client_id = "a:b", .client_secret = secret_string("s p/\xC3\xA9")});
  discovery_document document{.token_endpoint = egress::parse_http_url("https://id.example.com/token").value()};
  auto const& provider = settings.providers.front();
  auto const sent = [&] {
    return token_request(document, settings, provider, secret_string("c&"), secret_string("v"));
  };
  auto const basic = sent();
  CHECK(basic.method == "POST");
  CHECK_FALSE(basic.follow_redirects);
  CHECK(basic.tls.verify);
  CHECK(basic.fields.back().name == "Authorization");
  CHECK(basic.fields.back().secret);
  CHECK(basic.fields.back().value == "Basic YSUzQWI6cyUyMHAlMkYlQzMlQTk=");  // a%3Ab:s%20p%2F%C3%A9
  CHECK(basic.body ==
        "grant_type=authorization_code&code=c%26&redirect_uri="
        "https%3A%2F%2Fsvc.example.com%2Fdashboard%2Fv1%2Fsign-in%2Foidc%2Fcorp%2Fcallback&code_verifier=v");
  document.authentication = client_authentication::post;
  auto const post = sent();
  CHECK(post.fields.back().name != "Authorization");
  CHECK(post.body == basic.body + "&client_id=a%3Ab&client_secret=s%20p%2F%C3%A9");
}

TEST_CASE("metadata and keys are remembered for an hour, and an unknown key causes a request once a minute") {
  using namespace std::chrono_literals;
  provider_memory memory;
  auto const begin = steady::time_point(1h);
  CHECK(memory.document(begin) == nullptr);
  CHECK(memory.keys(begin) == nullptr);
  memory.store(discovery_document{.authorization_endpoint = "x"}, begin);
  memory.store(key_set{}, begin);
  CHECK(memory.document(begin + 3599s) != nullptr);
  CHECK(memory.document(begin + 3600s) == nullptr);
  CHECK(memory.keys(begin + 3599s) != nullptr);
  CHECK(memory.keys(begin + 3600s) == nullptr);
  CHECK(memory.may_look_again(begin));
  CHECK_FALSE(memory.may_look_again(begin + 59s));
  CHECK(memory.may_look_again(begin + 60s));
  CHECK_FALSE(memory.may_look_again(begin + 119s));
}

}  // namespace
}  // namespace svc::sign_in
