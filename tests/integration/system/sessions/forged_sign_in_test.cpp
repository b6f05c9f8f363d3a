// Sign-in with identity providers that forge, are dead or are misused.
#include "identity_instance.hpp"

#include <cstdint>
#include <ctime>

namespace svc::test {
namespace {

/// Starts a sign-in at the forging provider, lets it answer with the token, and returns the page that follows.
std::string page_after(browser& page, identity_instance& place, std::string const& location,
                       std::string const& token) {
  place.forger.set_token(token);
  return page_of(
      page.navigate("/dashboard/v1/sign-in/oidc/forger/callback?code=c&state=" + parameter_of(location, "state")));
}

boost::json::object claims_of_guest(identity_instance& place, std::string const& location) {
  auto claims = place.forger.claims(parameter_of(location, "nonce"));
  claims["email"] = "guest@forged.example";
  claims["email_verified"] = true;
  return claims;
}

}  // namespace

TEST_CASE(
    "each forged answer of a provider leads to the sign-in page without a session, and the right one signs in") {
  auto& place = identity_service();
  auto const now = static_cast<std::int64_t>(std::time(nullptr));
  struct {
    char const* name;
    char const* claim;
    boost::json::value content;  ///< null: the claim is missing
  } const cases[] = {
      {"the nonce of another flow", "nonce", boost::json::value(std::string(43, 'n'))},
      {"another provider's issuer", "iss", boost::json::value(place.provider.issuer())},
      {"another client's token", "aud", "other"},
      {"expired", "exp", now - 120},
      {"issued tomorrow", "iat", now + 86'400},
      {"nobody", "sub", nullptr},
      {"an address that the provider has not verified", "email_verified", false},
      {"an address of which the token does not say so", "email_verified", nullptr},
      {"an address of another provider's domain", "email", "guest@corp.example"},
      {"an address of nobody's domain", "email", "guest@elsewhere.example"},
      {"no address", "email", nullptr},
  };
  auto page = place.page();
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const location = place.start(page, "forger");
    auto claims = claims_of_guest(place, location);
    claims.erase(c.claim);
    if (!c.content.is_null()) claims[c.claim] = c.content;
    CHECK(page_after(page, place, location, place.forger.token(claims)) == refused_page);
    CHECK_FALSE(page.cookies().contains(session_cookie_name));
  }
  struct {
    char const* name;
    char const* algorithm;
    char const* header;
    signing_key const& key;
    std::string secret;
  } const signatures[] = {
      {"not signed", "none", R"({"alg":"none"})", place.forger.key, {}},
      {"the public key as an HMAC's secret", "HS256", R"({"alg":"HS256","kid":"1"})", place.forger.key,
       place.forger.key.pem()},
      {"a key that the provider does not publish",
       "RS256",
       R"({"alg":"RS256","kid":"1"})",
       place.forger.stranger,
       {}},
  };
  for (auto const& c : signatures) {
    CAPTURE(c.name);
    auto const location = place.start(page, "forger");
    auto const text = boost::json::serialize(claims_of_guest(place, location));
    CHECK(page_after(page, place, location, c.key.sign(c.algorithm, c.header, text, c.secret)) == refused_page);
    CHECK_FALSE(page.cookies().contains(session_cookie_name));
  }
  CHECK(place.installation.word("SELECT count(*) FROM users WHERE email LIKE '%@forged.example'") == "0");

  auto const location = place.start(page, "forger");
  CHECK(page_after(page, place, location, place.forger.token(claims_of_guest(place, location))) == "/app/jobs");
  CHECK(text_of(body_of(page.get("/dashboard/v1/me")), "/user/email") == "guest@forged.example");
}

TEST_CASE(
    "a callback at another provider's path, with a changed state or without a flow is refused before a request") {
  auto& place = identity_service();
  auto page = place.page();
  auto const location = place.start(page, "forger");
  auto const before = place.forger.requests_for("/token");
  auto const state = parameter_of(location, "state");
  std::string const paths = "/dashboard/v1/sign-in/oidc/";
  for (auto const& target :
       {paths + "corp/callback?code=c&state=" + state, paths + "none/callback?code=c&state=" + state,
        paths + "forger/callback?code=c&state=x", paths + "forger/callback?code=c", paths + "forger/callback"}) {
    CAPTURE(target);
    CHECK(page_of(page.navigate(target)) == refused_page);
    CHECK(page.cookies().contains(flow_cookie_name));
  }
  auto const flow = page.cookie(flow_cookie_name);
  for (auto const& changed : {std::string(), std::string("x"), flow + "A", flow.substr(1)}) {
    CAPTURE(changed);
    page.cookies()[flow_cookie_name] = changed;
    CHECK(page_of(page.navigate(paths + "forger/callback?code=c&state=" + state)) == refused_page);
  }
  CHECK(place.forger.requests_for("/token") == before);
  CHECK_FALSE(page.cookies().contains(session_cookie_name));
}

TEST_CASE("a start with an unknown provider, a page elsewhere, from another site or with no invitation is refused") {
  auto& place = identity_service();
  auto page = place.page();
  std::string const start = "/dashboard/v1/sign-in/oidc/corp/start";
  CHECK(code_of(page.post("/dashboard/v1/sign-in/oidc/none/start", one_member("returnTo", "/app/"))) == "not_found");
  for (char const* elsewhere : {"https://evil.example/app/", "//evil.example/app/", "/app//evil.example", "/app/../x",
                                "/dashboard/v1/me", "/app", ""}) {
    CAPTURE(elsewhere);
    auto const got = page.post(start, one_member("returnTo", elsewhere));
    CHECK(code_of(got) == "validation_failed");
    CHECK(text_of(body_of(got), "/details/0/field") == "/returnTo");
  }
  // A path fits the contract, but each of its quotes takes two bytes of the cookie.
  auto const long_path = "/app/" + std::string(4000, 'x');
  CHECK(code_of(page.post(start, one_member("returnTo", long_path))) == "validation_failed");
  std::string quotes;
  for (int i = 0; i < 1500; ++i) quotes += "\\\"";
  CHECK(code_of(page.post(start, one_member("returnTo", "/app/" + quotes))) == "validation_failed");
  CHECK(code_of(page.post(start, R"({"returnTo":"/app/","invitation":"svc_invite_nonsense"})")) == "link_over");
  auto client = api_client(place.url(), place.installation.text("caFile"), {});
  auto const foreign =
      client.http().request("POST", start, {{"Sec-Fetch-Site", "cross-site"}, {"Content-Type", "application/json"}},
                            one_member("returnTo", "/app/"));
  CHECK(code_of(foreign) == "cross_site_request");
  CHECK_FALSE(foreign.header("set-cookie"));
  CHECK(page.cookies().empty());
}

TEST_CASE(
    "a provider that is dead or refuses the client is unavailable, and says so at the start and at the return") {
  auto& place = identity_service();
  auto page = place.page();
  auto const dead = page.post("/dashboard/v1/sign-in/oidc/dead/start", one_member("returnTo", "/app/"));
  CHECK(dead.status == 503);
  CHECK(code_of(dead) == "unavailable");
  CHECK_FALSE(page.cookies().contains(flow_cookie_name));
  for (auto const& broken :
       {answer_of(503), answer_of(401, {}, R"({"error":"invalid_client"})"), answer_of(200, {}, "x")}) {
    auto const location = place.start(page, "forger");
    place.forger.set("/token", broken);
    CHECK(page_of(page.navigate("/dashboard/v1/sign-in/oidc/forger/callback?code=c&state=" +
                                parameter_of(location, "state"))) == "/app/sign-in?error=provider_unavailable");
    CHECK_FALSE(page.cookies().contains(flow_cookie_name));
  }
}

}  // namespace svc::test
