// The secrets of browsers are found nowhere after their use, in whatever part of a request they arrived.
#include "browser.hpp"
#include "identity_instance.hpp"
#include "searched_places.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr char const* typed_password = "nine searched words are typed here";
constexpr char const* invited_password = "eight others come by an invitation";

std::string after_hash(std::string const& link) {
  return link.substr(link.find('#') + 1);
}

/// Accepts the invitation in another browser, and adds what that browser has then.
void accept_invitation(signed_in_member& m, std::map<std::string, std::string>& secrets) {
  browser other(m.installation, 1);
  auto const accepted =
      other.post("/dashboard/v1/sign-in/invitation", R"({"name":"Sam","token":")" + secrets["invitation"] +
                                                         R"(","password":")" + invited_password + R"("})");
  REQUIRE_MESSAGE(accepted.status == 200, accepted.body);
  secrets["invited password"] = invited_password;
  secrets["invited session"] = other.cookie(session_cookie_name);
  secrets["invited device"] = other.cookie("__Host-svc_device");
}

/// The bodies and challenges of refusals.
using error_texts = std::string;

/// Sends every secret as a value in wrong positions, and adds the answers to `said`. Errors repeat only unknown
/// names.
void misplace(signed_in_member& m, std::map<std::string, std::string> const& secrets, error_texts& said) {
  auto const note = [&](answer const& got) {
    CHECK(got.status >= 400);
    said += got.body + got.header("www-authenticate").value_or("") + "\n";
  };
  for (auto const& [name, secret] : secrets) {
    CAPTURE(name);
    note(m.page.post("/dashboard/v1/sign-in/link", one_member("token", secret + "x")));
    note(m.page.post("/dashboard/v1/sign-in/password", one_member("password", secret)));
    note(m.page.post("/dashboard/v1/sign-in/recovery", one_member("email", secret)));
    if (name.ends_with("password")) continue;
    note(m.page.get("/dashboard/v1/me?token=" + secret));
    note(m.page.get("/" + secret));
    note(m.page.get("/dashboard/v1/sign-in/oidc/" + secret + "/callback"));
    auto const bearer = m.page.call("GET", "/api/jobs", {}, {{"Authorization", "Bearer " + secret}});
    CHECK(code_of(bearer) == "invalid_token");
    note(bearer);
  }
}

/// Uses every secret of a browser as pages do, and in wrong positions, and returns all of them by name.
std::map<std::string, std::string> use_secrets(signed_in_member& m, error_texts& said) {
  std::map<std::string, std::string> out{{"password", typed_password}};
  out["first session"] = m.page.cookie(session_cookie_name);
  out["used link"] = new_link_secret(m.installation, m.member.user);
  CHECK(m.page
            .post("/dashboard/v1/sign-in/link",
                  R"({"token":")" + out["used link"] + R"(","password":")" + typed_password + R"("})")
            .status == 200);
  out["link"] = new_link_secret(m.installation, m.member.user);
  CHECK(m.page.post("/dashboard/v1/sign-in/link/preview", one_member("token", out["link"])).status == 200);
  out["replaced session"] = m.page.cookie(session_cookie_name);
  CHECK(m.page.post("/dashboard/v1/me/fresh", one_member("password", typed_password)).status == 204);
  out["session"] = m.page.cookie(session_cookie_name);
  out["device"] = m.page.cookie("__Host-svc_device");
  auto const organization =
      m.installation.word("SELECT id FROM organizations WHERE slug = '" + m.owner.organization + "'");
  auto const invited = m.page.post("/dashboard/v1/organizations/" + organization + "/invitations",
                                   R"({"email":"searched@example.org","role":"org_member"})");
  REQUIRE_MESSAGE(invited.status == 201, invited.body);
  out["invitation"] = after_hash(text_of(body_of(invited), "/link"));
  CHECK(m.page.post("/dashboard/v1/sign-in/invitation/preview", one_member("token", out["invitation"])).status ==
        200);
  accept_invitation(m, out);
  for (std::size_t instance = 0; instance < m.installation.size(); ++instance) {
    m.page.move_to(instance);
    CHECK(m.page.get("/dashboard/v1/me").status == 200);
    misplace(m, out, said);
  }
  CHECK(m.page.post("/dashboard/v1/sign-out").status == 204);
  return out;
}

TEST_CASE("no session, link, invitation, device or password is in a store, a log, a metric or on a command line") {
  signed_in_member m("org_admin");
  auto& installation = m.installation;
  error_texts said;
  auto const secrets = use_secrets(m, said);
  searched_places places(installation);
  CHECK(places.all_contain("PostgreSQL", m.member.user_id));
  CHECK(places.all_contain("Redis", m.member.user_id));
  for (std::size_t i = 0; i < installation.size(); ++i)
    places.add_process(installation.process(i), installation.pages(i));
  CHECK(places.all_contain("log", "POST /dashboard/v1/sign-in/link"));
  CHECK(places.all_contain("metrics", "svc_sign_ins_total"));
  places.add("errors", said);
  places.check_absence(secrets);
}

TEST_CASE("no code, state, nonce, flow or client secret of a provider is in a store, a log, a metric or an error") {
  auto& place = identity_service();
  place.provider.use_account({{"sub", "id-of-pat"},
                              {"email", "pat@corp.example"},
                              {"email_verified", true},
                              {"name", "pat"},
                              {"groups", boost::json::array{}}});
  std::map<std::string, std::string> secrets{{"client secret", openid_provider::client_secret}};
  error_texts said;
  auto page = place.page(), other = place.page();
  auto const location = place.start(page);
  for (char const* name : {"state", "nonce"}) secrets[name] = parameter_of(location, name);
  secrets["flow"] = page.cookie(flow_cookie_name);
  auto const target = place.visit(location);
  secrets["code"] = parameter_of(target, "code");
  auto const note = [&](answer const& got) { said += got.header("location").value_or("") + got.body + "\n"; };
  note(other.navigate(target));
  note(other.navigate("/dashboard/v1/sign-in/oidc/corp/callback?error=" + secrets["code"] +
                      "&state=" + secrets["state"]));
  auto const signed_in = page.navigate(target);
  REQUIRE(page_of(signed_in) == "/app/jobs");
  note(signed_in);
  secrets["session"] = page.cookie(session_cookie_name);
  note(page.navigate(target));
  page.cookies()[flow_cookie_name] = secrets["flow"];
  note(page.navigate(target));
  page.cookies()[flow_cookie_name] = secrets["flow"] + "x";
  note(page.navigate(target));
  for (auto const& [name, secret] : secrets) {
    note(page.get("/dashboard/v1/sign-in/oidc/" + secret + "/callback?code=" + secret));
    note(page.post("/dashboard/v1/sign-in/oidc/" + secret + "/start", one_member("returnTo", "/app/")));
    note(page.post("/dashboard/v1/sign-in/oidc/corp/start", one_member("returnTo", secret)));
    note(page.get("/dashboard/v1/me?code=" + secret));
  }
  searched_places places(place.installation);
  places.add_process(place.process(), place.pages());
  CHECK(places.all_contain("log", "/dashboard/v1/sign-in/oidc/"));
  CHECK(places.all_contain("metrics", "svc_oidc_requests_total"));
  places.add("errors", said);
  places.check_absence(secrets);
}

}  // namespace
}  // namespace svc::test
