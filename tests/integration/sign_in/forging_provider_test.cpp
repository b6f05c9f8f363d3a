// The client of identity providers against a provider that forges.
#include "integration/sign_in/forging_provider.hpp"
#include "integration/sign_in/client_fixture.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>

namespace svc::test {
namespace {

callback_query good_callback(sign_in::oidc_flow const& flow) {
  return {{"code", "c"}, {"state", flow.state}};
}

}  // namespace

TEST_CASE("each wrong ID token of a provider is refused, and the right one is accepted") {
  forging_provider provider, other;
  client_place here(provider.authority(), client_place::usual_provider(provider.issuer(), "s"));
  auto const flow = here.flow();
  auto const now = sign_in::seconds_now();
  auto const changed = [&](char const* claim, auto const& value) {
    auto claims = provider.claims(flow.nonce);
    claims[claim] = value;
    return provider.token(claims);
  };
  auto const text = boost::json::serialize(provider.claims(flow.nonce));
  struct {
    char const* name;
    std::string token;
    char const* outcome;
  } const cases[] = {
      {"as it should be", provider.token(provider.claims(flow.nonce)), "ok"},
      {"the nonce of another flow", changed("nonce", here.flow().nonce), "nonce_mismatch"},
      {"another provider's issuer", changed("iss", other.issuer()), "issuer_mismatch"},
      {"another provider's token", other.token(other.claims(flow.nonce)), "signature_invalid"},
      {"another client's token", changed("aud", "other"), "audience_mismatch"},
      {"expired", changed("exp", now - 120), "token_expired"},
      {"issued tomorrow", changed("iat", now + 86'400), "issued_at_invalid"},
      {"not signed", provider.key.sign("none", R"({"alg":"none"})", text), "algorithm_refused"},
      {"the public key as an HMAC's secret",
       provider.key.sign("HS256", R"({"alg":"HS256","kid":"1"})", text, provider.key.pem()), "algorithm_refused"},
      {"the client's secret as an HMAC's secret",
       provider.key.sign("HS256", R"({"alg":"HS256","kid":"1"})", text, "s"), "algorithm_refused"},
      {"a key that the provider does not publish",
       provider.stranger.sign("RS256", R"({"alg":"RS256","kid":"1"})", text), "signature_invalid"},
      {"garbage", "x", "token_malformed"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    provider.set_token(c.token);
    CHECK(here.outcome(flow, good_callback(flow)) == c.outcome);
  }
}

TEST_CASE("a new key of the provider is found, and invented keys cause one request a minute") {
  forging_provider provider;
  client_place here(provider.authority(), client_place::usual_provider(provider.issuer(), "s"));
  auto const sign_in_with = [&](signing_key const& key, std::string const& kid) {
    auto const flow = here.flow();
    auto claims = provider.claims(flow.nonce);
    claims["iat"] = flow.started_at;
    claims["exp"] = flow.started_at + 300;
    provider.set_token(key.sign("RS256", R"({"alg":"RS256","kid":")" + kid + "\"}", boost::json::serialize(claims)));
    return here.outcome(flow, good_callback(flow));
  };
  CHECK(sign_in_with(provider.key, "1") == "ok");
  CHECK(sign_in_with(provider.key, "1") == "ok");
  CHECK(provider.requests_for("/keys") == 1);
  CHECK(provider.requests_for("/.well-known/openid-configuration") == 1);

  CHECK(sign_in_with(provider.stranger, "2") == "key_unknown");
  CHECK(provider.requests_for("/keys") == 2);
  provider.set_keys("{\"keys\":[" + provider.stranger.jwk(R"("kid":"2",)") + "]}");
  CHECK(sign_in_with(provider.stranger, "2") == "key_unknown");
  CHECK(provider.requests_for("/keys") == 2);
  here.later = std::chrono::seconds(60);
  CHECK(sign_in_with(provider.stranger, "2") == "ok");
  CHECK(provider.requests_for("/keys") == 3);
  // The provider withdrew the first key.
  CHECK(sign_in_with(provider.key, "1") == "key_unknown");
  here.later = std::chrono::seconds(3661);
  CHECK(sign_in_with(provider.stranger, "2") == "ok");
  CHECK(provider.requests_for("/keys") == 4);
  CHECK(provider.requests_for("/.well-known/openid-configuration") == 2);
}

TEST_CASE("an invalid, too long or redirected document, or one of another issuer, signs nobody in") {
  struct {
    char const* name;
    char const* path;
    std::string answer;
    char const* outcome;
  } const cases[] = {
      {"metadata of another issuer", "/.well-known/openid-configuration",
       answer_of(200, {}, R"({"issuer":"https://other.example"})"), "answer_invalid"},
      {"metadata with status 500", "/.well-known/openid-configuration", answer_of(500), "unreachable"},
      {"metadata elsewhere", "/.well-known/openid-configuration", answer_of(302, "Location: /x\r\n"), "unreachable"},
      {"metadata beyond 256 KiB", "/.well-known/openid-configuration",
       answer_of(200, {}, std::string(256 * 1024 + 1, ' ')), "answer_invalid"},
      {"keys that are none", "/keys", answer_of(200, {}, "[]"), "answer_invalid"},
      {"no usable key", "/keys", answer_of(200, {}, R"({"keys":[{"kty":"oct","k":"AA"}]})"), "unsupported"},
      {"keys elsewhere", "/keys", answer_of(307, "Location: /x\r\n"), "unreachable"},
      {"a token endpoint that is down", "/token", answer_of(503), "unreachable"},
      {"a token endpoint elsewhere", "/token", answer_of(307, "Location: /x\r\n"), "answer_invalid"},
      {"an answer beyond 256 KiB", "/token", answer_of(200, {}, std::string(256 * 1024 + 1, ' ')), "answer_invalid"},
      {"no HTTP", "/token", "hello\r\n\r\n", "unreachable"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    forging_provider provider;
    client_place here(provider.authority(), client_place::usual_provider(provider.issuer(), "s"));
    auto const flow = here.flow();
    provider.set_token(provider.token(provider.claims(flow.nonce)));
    provider.set(c.path, c.answer);
    CHECK(here.outcome(flow, good_callback(flow)) == c.outcome);
    CHECK(provider.requests_for("/x") == 0);
  }
}

TEST_CASE("a provider with a certificate that nobody trusts gets no code and no secret") {
  forging_provider provider, other;
  client_place here(other.authority(), client_place::usual_provider(provider.issuer(), "s"));
  auto const flow = here.flow();
  CHECK(here.outcome(flow, good_callback(flow)) == "unreachable");
  CHECK(provider.requests_for("/.well-known/openid-configuration") == 0);
}

TEST_CASE("a forged callback causes no request, and a code is sent only to the token endpoint") {
  forging_provider provider;
  client_place here(provider.authority(), client_place::usual_provider(provider.issuer(), "s"));
  auto const flow = here.flow();
  CHECK(here.outcome(flow, {{"code", "c"}, {"state", here.flow().state}}) == "state_mismatch");
  CHECK(here.outcome(flow, {{"code", "c"}}) == "state_mismatch");
  here.later = std::chrono::seconds(600);
  CHECK(here.outcome(flow, good_callback(flow)) == "flow_expired");
  CHECK(provider.requests_for("/.well-known/openid-configuration") == 0);
  here.later = {};
  provider.set_token(provider.token(provider.claims(flow.nonce)));
  CHECK(here.outcome(flow, good_callback(flow)) == "ok");
  CHECK(provider.requests_for("/token") == 1);
}

TEST_CASE("a silent provider costs at most five seconds and eight places, and sign-ins that wait share one request") {
  forging_provider provider;
  client_place here(provider.authority(), client_place::usual_provider(provider.issuer(), "s"));
  auto const flow = here.flow();
  provider.silent = true;
  auto const begin = steady::now();
  std::size_t ended = 0;
  for (int i = 0; i < 20; ++i)
    asio::co_spawn(here.io(), here.client().start(flow), [&](std::exception_ptr const&, auto const& url) {
      CHECK((url ? "ok" : to_string(url.error().failure)) == "unreachable");
      ++ended;
    });
  here.io().restart();
  while (ended < 20 && here.io().run_one() > 0) {
  }
  auto const took = steady::now() - begin;
  CHECK(took >= sign_in::oidc_client::request_limit);
  CHECK(took < sign_in::oidc_client::request_limit + std::chrono::seconds(3));
  CHECK(provider.requests_for("/.well-known/openid-configuration") == 1);

  provider.silent = false;
  REQUIRE(here.start(flow).has_value());
  provider.silent = true;
  std::size_t busy = 0, unreachable = 0;
  for (int i = 0; i < 12; ++i)
    asio::co_spawn(here.io(), here.client().finish(flow, good_callback(flow)),
                   [&](std::exception_ptr const&, auto const& person) {
                     if (!person && person.error().failure == sign_in::oidc_failure::busy) ++busy;
                     if (!person && person.error().failure == sign_in::oidc_failure::unreachable) ++unreachable;
                   });
  here.io().restart();
  while (busy + unreachable < 12 && here.io().run_one() > 0) {
  }
  CHECK(busy == 4);
  CHECK(unreachable == sign_in::oidc_client::most_of_provider);
}

}  // namespace svc::test
