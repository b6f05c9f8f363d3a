// Signing in with the certified provider of npm's package oidc-provider.
#include "integration/sign_in/client_fixture.hpp"
#include "support/openid_provider.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

boost::json::object ann() {
  return {{"sub", "person-1"},
          {"email", "Ann@Example.com"},
          {"email_verified", true},
          {"name", "Ann"},
          {"groups", {"dev", "admins"}}};
}

struct real_place {
  explicit real_place(openid_provider::options options = {})
      : provider((options.redirect_url = client_place::redirect_url(), options)),
        here(provider.authority().authority,
             client_place::usual_provider(provider.issuer(), openid_provider::client_secret)),
        browser(provider.ca_file()) {}

  /// The query with which the provider sends the browser back.
  callback_query visit(sign_in::oidc_flow const& flow) {
    auto const url = here.start(flow);
    REQUIRE(url.has_value());
    auto const back = browser.follow(*url, client_place::redirect_url());
    REQUIRE(back.starts_with(client_place::redirect_url()));
    return query_of(back);
  }

  openid_provider provider;
  client_place here;
  redirected_browser browser;
};

}  // namespace

TEST_CASE("a person signs in with each algorithm and each proof of the client's secret") {
  struct {
    char const* algorithm;
    bool basic;
  } const cases[] = {{"RS256", true}, {"PS256", false}, {"ES256", true}};
  for (auto const& c : cases) {
    CAPTURE(c.algorithm);
    real_place place({.algorithm = c.algorithm, .basic = c.basic});
    place.provider.use_account(ann());
    auto const flow = place.here.flow();
    auto const query = place.visit(flow);
    auto const person = place.here.finish(flow, query);
    REQUIRE_MESSAGE(person.has_value(), (person ? "" : person.error().message));
    CHECK(person->provider == "corp");
    CHECK(person->issuer == place.provider.issuer());
    CHECK(person->subject == "person-1");
    CHECK(person->email == "ann@example.com");
    CHECK(person->email_verified == true);
    CHECK(person->name == "Ann");
    CHECK(person->groups == std::vector<std::string>{"dev", "admins"});
    CHECK(place.here.metrics_page().find("svc_oidc_requests_total{outcome=\"ok\",provider=\"corp\"} 3") !=
          std::string::npos);
  }
}

TEST_CASE("a callback of the real provider works once, and only in its own flow") {
  real_place place;
  place.provider.use_account(ann());
  auto const flow = place.here.flow(), other = place.here.flow();
  auto const query = place.visit(flow);
  CHECK(place.here.outcome(other, query) == "state_mismatch");
  auto same_state = other;
  same_state.state = flow.state;
  // PKCE: the code of a stolen callback is worth nothing without the verifier.
  CHECK(place.here.outcome(same_state, query) == "code_refused");
  auto const again = place.visit(flow);
  CHECK(place.here.outcome(flow, again) == "ok");
  CHECK(place.here.outcome(flow, again) == "code_refused");
}

TEST_CASE("a nonce of another flow is refused although state and verifier fit") {
  real_place place;
  place.provider.use_account(ann());
  auto const flow = place.here.flow();
  auto changed = flow;
  changed.nonce = place.here.flow().nonce;
  CHECK(place.here.outcome(changed, place.visit(flow)) == "nonce_mismatch");
}

TEST_CASE("the provider names itself in the callback, and another name is refused") {
  real_place place;
  place.provider.use_account(ann());
  auto const flow = place.here.flow();
  auto query = place.visit(flow);
  CHECK(value_in(query, "iss") == place.provider.issuer());
  auto without = query;
  std::erase_if(without, [](auto const& each) { return each.first == "iss"; });
  CHECK(place.here.outcome(flow, without) == "issuer_mismatch");
  for (auto& [name, value] : query)
    if (name == "iss") value = "https://other.example";
  CHECK(place.here.outcome(flow, query) == "issuer_mismatch");
}

TEST_CASE("a fresh sign-in asks the person again, and an older authentication is refused") {
  real_place place;
  place.provider.use_account(ann());
  auto flow = place.here.flow();
  flow.session = uuid::generate_v7();
  auto const url = place.here.start(flow);
  REQUIRE(url.has_value());
  CHECK(url->ends_with("&prompt=login&max_age=0"));
  CHECK(place.here.outcome(flow, place.visit(flow)) == "ok");
  // An attacker removes prompt and max_age from the address: the browser's session at the provider answers.
  auto const removed = url->substr(0, url->find("&prompt="));
  auto const back = place.browser.follow(removed, client_place::redirect_url());
  CHECK(place.here.outcome(flow, query_of(back)) == "sign_in_not_fresh");
}

TEST_CASE("a person who declines, and a provider without groups, do not sign in") {
  real_place place;
  place.provider.decline();
  auto const flow = place.here.flow();
  CHECK(place.here.outcome(flow, place.visit(flow)) == "denied");
  auto without_groups = ann();
  without_groups.erase("groups");
  place.provider.use_account(without_groups);
  CHECK(place.here.outcome(flow, place.visit(flow)) == "claims_invalid");
}

TEST_CASE("a wrong secret and a dead provider are named, and nobody signs in") {
  openid_provider provider({.redirect_url = client_place::redirect_url()});
  provider.use_account(ann());
  client_place here(provider.authority().authority, client_place::usual_provider(provider.issuer(), "wrong"));
  redirected_browser browser(provider.ca_file());
  auto const flow = here.flow();
  auto const query = query_of(browser.follow(here.start(flow).value(), client_place::redirect_url()));
  CHECK(here.outcome(flow, query) == "client_refused");
  provider.stop();
  CHECK(here.outcome(flow, query) == "unreachable");
  CHECK(here.start(flow).has_value());  // The metadata are remembered.
  here.later = std::chrono::hours(1);
  auto const late = here.start(here.flow());
  CHECK((late ? "ok" : to_string(late.error().failure)) == "unreachable");
}

}  // namespace svc::test
