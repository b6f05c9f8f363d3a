#include "svc/sign_in/oidc/flow.hpp"

#include "sign_in/oidc/authorization.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <set>
#include <string>

namespace svc::sign_in {
namespace {

using parameters = std::vector<std::pair<std::string, std::string>>;

constexpr std::int64_t start_time = 1'795'000'000;

oidc_provider provider_of_flow() {
  return {.id = "corp", .issuer = "https://id.example.com", .client_id = "a b"};
}

TEST_CASE("the challenge is the one of RFC 7636, appendix B") {
  CHECK(code_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") ==
        "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

TEST_CASE("each flow has new values of 256 bits") {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    auto const flow = new_flow("corp", "/app/", start_time);
    for (auto const& text : {flow.state, flow.nonce, std::string(flow.verifier.reveal())}) {
      CHECK(text.size() == 43);
      CHECK(seen.insert(text).second);
    }
  }
}

TEST_CASE("the authorization URL has every parameter, and a fresh sign-in asks for one") {
  oidc_settings const settings{.public_url = "https://svc.example.com"};
  auto flow = new_flow("corp", "/app/", start_time);
  auto const provider = provider_of_flow();
  discovery_document document{.authorization_endpoint = "https://id.example.com/auth"};
  auto const url = authorization_url(document, settings, provider, flow);
  CHECK(url ==
        "https://id.example.com/auth?response_type=code&client_id=a%20b&redirect_uri="
        "https%3A%2F%2Fsvc.example.com%2Fdashboard%2Fv1%2Fsign-in%2Foidc%2Fcorp%2Fcallback"
        "&scope=openid%20email%20profile&state=" +
            flow.state + "&nonce=" + flow.nonce + "&code_challenge=" + code_challenge(flow.verifier.reveal()) +
            "&code_challenge_method=S256");
  CHECK(url.find(flow.verifier.reveal()) == std::string::npos);
  flow.session = uuid::generate_v7();
  CHECK(authorization_url(document, settings, provider, flow) == url + "&prompt=login&max_age=0");
  document.authorization_endpoint = "https://id.example.com/auth?tenant=1";
  CHECK(authorization_url(document, settings, provider, flow)
            .starts_with("https://id.example.com/auth?tenant=1&response_type=code&"));
}

TEST_CASE("the text of a flow reads back as the flow, and a changed one as none") {
  auto flow = new_flow("corp", "/app/runs?x=1", start_time);
  flow.invitation = secret_string("svc_invite_x");
  flow.session = uuid::generate_v7();
  flow.replaced = sha256("the secret of a session");
  auto const text = write_flow(flow);
  auto const again = read_flow(text.reveal());
  REQUIRE(again);
  CHECK(again->provider == flow.provider);
  CHECK(again->state == flow.state);
  CHECK(again->nonce == flow.nonce);
  CHECK(again->verifier.reveal() == flow.verifier.reveal());
  CHECK(again->started_at == flow.started_at);
  CHECK(again->return_to == flow.return_to);
  CHECK(again->session == flow.session);
  CHECK(again->replaced == flow.replaced);
  CHECK(again->invitation.reveal() == "svc_invite_x");
  struct {
    char const* member;
    char const* value;  ///< JSON; null: missing
  } const cases[] = {
      {"state", "\"short\""}, {"state", nullptr},    {"nonce", "1"},       {"verifier", nullptr},
      {"started", "\"x\""},   {"started", nullptr},  {"return", "\"/x\""}, {"return", "\"/app//evil\""},
      {"session", "\"x\""},   {"replaced", "\"x\""}, {"replaced", "1"}};
  for (auto const& c : cases) {
    CAPTURE(c.member);
    auto object = boost::json::parse(text.reveal()).as_object();
    object.erase(c.member);
    if (c.value != nullptr) object[c.member] = boost::json::parse(c.value);
    CHECK_FALSE(read_flow(boost::json::serialize(object)));
  }
  CHECK_FALSE(read_flow(""));
}

TEST_CASE("a callback has a code only if it belongs to the flow") {
  auto const flow = new_flow("corp", "/app/", start_time);
  auto const other = new_flow("corp", "/app/", start_time);
  struct {
    char const* name;
    parameters query;
    char const* outcome;
    bool issuer_announced = false;
    std::int64_t seconds = 1;
    char const* provider = "corp";
  } const cases[] = {
      {.name = "a code", .query = {{"code", "c"}, {"state", flow.state}}, .outcome = "ok"},
      {.name = "unknown parameters", .query = {{"code", "c"}, {"state", flow.state}, {"x", "1"}}, .outcome = "ok"},
      {.name = "no state", .query = {{"code", "c"}}, .outcome = "state_mismatch"},
      {.name = "the state of another flow",
       .query = {{"code", "c"}, {"state", other.state}},
       .outcome = "state_mismatch"},
      {.name = "an empty state", .query = {{"code", "c"}, {"state", ""}}, .outcome = "state_mismatch"},
      {.name = "another provider",
       .query = {{"code", "c"}, {"state", flow.state}},
       .outcome = "state_mismatch",
       .provider = "other"},
      {.name = "two codes",
       .query = {{"code", "c"}, {"code", "d"}, {"state", flow.state}},
       .outcome = "callback_invalid"},
      {.name = "two states",
       .query = {{"state", other.state}, {"code", "d"}, {"state", flow.state}},
       .outcome = "callback_invalid"},
      {.name = "no code", .query = {{"state", flow.state}}, .outcome = "callback_invalid"},
      {.name = "an empty code", .query = {{"code", ""}, {"state", flow.state}}, .outcome = "callback_invalid"},
      {.name = "a long code",
       .query = {{"code", std::string(4097, 'c')}, {"state", flow.state}},
       .outcome = "callback_invalid"},
      {.name = "an error", .query = {{"error", "access_denied"}, {"state", flow.state}}, .outcome = "denied"},
      {.name = "an error of another flow",
       .query = {{"error", "access_denied"}, {"state", other.state}},
       .outcome = "state_mismatch"},
      {.name = "an error and a code",
       .query = {{"error", "x"}, {"code", "c"}, {"state", flow.state}},
       .outcome = "denied"},
      {.name = "the issuer",
       .query = {{"code", "c"}, {"state", flow.state}, {"iss", "https://id.example.com"}},
       .outcome = "ok",
       .issuer_announced = true},
      {.name = "another issuer",
       .query = {{"code", "c"}, {"state", flow.state}, {"iss", "https://id.example.org"}},
       .outcome = "issuer_mismatch"},
      {.name = "no issuer where it is announced",
       .query = {{"code", "c"}, {"state", flow.state}},
       .outcome = "issuer_mismatch",
       .issuer_announced = true},
      {.name = "after 599 s", .query = {{"code", "c"}, {"state", flow.state}}, .outcome = "ok", .seconds = 599},
      {.name = "after 600 s",
       .query = {{"code", "c"}, {"state", flow.state}},
       .outcome = "flow_expired",
       .seconds = 600},
      {.name = "before its start",
       .query = {{"code", "c"}, {"state", flow.state}},
       .outcome = "flow_expired",
       .seconds = -61},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto provider = provider_of_flow();
    provider.id = c.provider;
    auto const code = read_callback(c.query, flow, provider, c.issuer_announced, start_time + c.seconds);
    CHECK((code ? "ok" : to_string(code.error().failure)) == std::string_view(c.outcome));
  }
  auto const error = read_callback({{"error", "<b>\naccess_denied"}, {"state", flow.state}}, flow, provider_of_flow(),
                                   false, start_time);
  CHECK(error.error().message == "The provider reports the error baccess_denied.");
}

}  // namespace
}  // namespace svc::sign_in
