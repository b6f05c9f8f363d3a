// People sign in with a certified identity provider, from the page to the session, over real sockets and instances.
#include "identity_instance.hpp"

#include "support/comes_true.hpp"

namespace svc::test {
namespace {

boost::json::object at_corp(std::string const& name, boost::json::array groups = {}) {
  return {{"sub", "id-of-" + name},
          {"email", name + "@corp.example"},
          {"email_verified", true},
          {"name", name},
          {"groups", std::move(groups)}};
}

/// Makes a password for an account, in a browser of an instance that knows no identity providers.
void set_password(browser& page, std::string const& user, std::string const& password) {
  page.sign_in(user);
  REQUIRE(page.call("PUT", "/dashboard/v1/me/password", one_member("password", password)).status == 204);
}

std::string sign_in_code(browser& page, std::string const& email, std::string const& password) {
  auto const got =
      page.post("/dashboard/v1/sign-in/password", R"({"email":")" + email + R"(","password":")" + password + R"("})");
  return got.status == 200 ? "ok" : code_of(got);
}

}  // namespace

TEST_CASE("a person signs in at a provider, returns to the page of the start, and is a member on every instance") {
  auto& place = identity_service();
  auto page = place.page();
  auto const methods = body_of(page.get("/dashboard/v1/sign-in/methods"));
  CHECK(methods.at("password").as_bool());
  CHECK_FALSE(methods.at("recovery").as_bool());
  CHECK(text_of(methods, "/oidc/0/id") == "corp");
  CHECK(text_of(methods, "/oidc/0/name") == "Corporate login");
  CHECK(text_of(methods, "/oidc/1/name") == "forger");

  place.provider.use_account(at_corp("ann", {"dev"}));
  auto const started = page.post("/dashboard/v1/sign-in/oidc/corp/start", R"({"returnTo":"/app/jobs?x=1"})");
  REQUIRE(started.status == 200);
  CHECK(started.header("cache-control") == "no-store");
  auto const flow = started.header("set-cookie").value_or("");
  CHECK(flow.starts_with("__Host-svc_flow="));
  for (char const* part : {"; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax", "; Max-Age=600"})
    CHECK_MESSAGE(flow.find(part) != std::string::npos, part);
  // Providers add parameters of their own.
  auto const target = place.visit(text_of(body_of(started), "/location")) + "&session_state=a.b&scope=openid&scope=x";
  auto const back = page.navigate(target);
  CAPTURE(back.body);
  CHECK(page_of(back) == "/app/jobs?x=1");
  CHECK(back.header("cache-control") == "no-store");
  CHECK(back.header("referrer-policy") == "no-referrer");
  CHECK(page.cookies().contains(session_cookie_name));
  CHECK_FALSE(page.cookies().contains(flow_cookie_name));

  page.open_project(project_id(place.installation, place.owner));
  CHECK(page.post("/api/tags", R"({"name":"by-ann"})").status == 201);
  page.move_to(0);
  auto const account = body_of(page.get("/dashboard/v1/me"));
  CHECK(text_of(account, "/user/name") == "ann");
  CHECK(text_of(account, "/user/email") == "ann@corp.example");
  CHECK(text_of(account, "/session/method") == "oidc");
  CHECK(text_of(account, "/session/provider") == "corp");
  CHECK(text_of(account, "/organizations/0/slug") == place.owner.organization);
  CHECK(text_of(account, "/organizations/0/role") == "org_member");
  CHECK(page.get("/api/jobs").status == 200);
}

TEST_CASE("a sign-in ends the browser's previous session, whose cookie the callback does not get") {
  auto& place = identity_service();
  auto page = place.page();
  page.sign_in(place.owner.user);
  auto const before = page.cookie(session_cookie_name);
  place.provider.use_account(at_corp("bea"));
  CHECK(page_of(place.sign_in(page)) == "/app/jobs");
  CHECK(text_of(body_of(page.get("/dashboard/v1/me")), "/user/name") == "bea");
  for (std::size_t instance : {0U, 1U}) {
    browser old(place.installation, instance);
    old.cookies()[session_cookie_name] = before;
    CHECK(code_of(old.get("/dashboard/v1/me")) == "session_ended");
  }
}

TEST_CASE("a stranger who registered a person's address loses the account when the person signs in at the provider") {
  auto& place = identity_service();
  auto const& installation = place.installation;
  std::string const email = "cleo@corp.example", password = "seven unrelated words make one";
  installation.admin({"create-user", "--email", email, "--name", "Not Cleo"});
  browser stranger(installation, 0), home(installation, 1);
  set_password(stranger, email, password);
  CHECK(sign_in_code(home, email, password) == "ok");
  auto const link = new_link_secret(installation, email);

  place.provider.use_account(at_corp("cleo"));
  auto page = place.page();
  CHECK(page_of(place.sign_in(page)) == "/app/jobs");
  for (auto* each : {&stranger, &home})
    for (std::size_t instance : {0U, 1U}) {
      each->move_to(instance);
      CHECK(code_of(each->get("/dashboard/v1/me")) == "session_ended");
    }
  CHECK(sign_in_code(home, email, password) == "sign_in_failed");
  CHECK(code_of(home.post("/dashboard/v1/sign-in/link", one_member("token", link))) == "link_over");
  CHECK(page.get("/dashboard/v1/me").status == 200);
}

TEST_CASE("the account of a provider gets no other method, and nobody else at the provider gets it") {
  auto& place = identity_service();
  auto const& installation = place.installation;
  place.provider.use_account(at_corp("dora"));
  auto page = place.page();
  CHECK(page_of(place.sign_in(page)) == "/app/jobs");

  // This instance has no providers, so only the identity decides here.
  browser other(installation, 0);
  auto const link = new_link_secret(installation, "dora@corp.example");
  auto const preview = body_of(other.post("/dashboard/v1/sign-in/link/preview", one_member("token", link)));
  CHECK_FALSE(preview.at("setsPassword").as_bool());
  auto const password = other.post("/dashboard/v1/sign-in/link",
                                   R"({"token":")" + link + R"(","password":"seven unrelated words make one"})");
  CHECK(code_of(password) == "sign_in_refused");
  CHECK(code_of(page.call("PUT", "/dashboard/v1/me/password", one_member("password", "seven unrelated words"))) ==
        "sign_in_refused");

  // The provider gives the address to another person.
  auto reassigned = at_corp("dora");
  reassigned["sub"] = "id-of-another-dora";
  place.provider.use_account(reassigned);
  auto second = place.page();
  CHECK(page_of(place.sign_in(second)) == refused_page);
  CHECK_FALSE(second.cookies().contains(session_cookie_name));
  CHECK(page.get("/dashboard/v1/me").status == 200);

  // The operator's link still lets its person in.
  CHECK(other.post("/dashboard/v1/sign-in/link", one_member("token", link)).status == 200);
}

TEST_CASE("an invitation is accepted by the sign-in that it starts, for its own address only") {
  auto& place = identity_service();
  auto& installation = place.installation;
  auto const other = installation.make_tenant();
  browser admin(installation);
  admin.sign_in(other.user);
  auto const id = installation.word("SELECT id FROM organizations WHERE slug = '" + other.organization + "'");
  auto const invite = [&](std::string const& email) {
    auto const made = admin.post("/dashboard/v1/organizations/" + id + "/invitations",
                                 R"({"email":")" + email + R"(","role":"org_admin","delivery":"copy"})");
    REQUIRE(made.status == 201);
    auto const link = text_of(body_of(made), "/link");
    return link.substr(link.find('#') + 1);
  };
  auto const enter = [&](browser& page, std::string const& secret) {
    auto const started = page.post("/dashboard/v1/sign-in/oidc/corp/start",
                                   R"({"returnTo":"/app/jobs","invitation":")" + secret + R"("})");
    REQUIRE(started.status == 200);
    return page_of(page.navigate(place.visit(text_of(body_of(started), "/location"))));
  };
  auto const is_member = [&](std::string const& email) {
    return installation.word(
               "SELECT count(*) FROM organization_members m JOIN users u ON u.id = m.user_id WHERE "
               "m.organization_id = '" +
               id + "' AND u.email = '" + email + "'") == "1";
  };
  // A person outside of the provider's domains, without an account.
  auto guest = at_corp("gina");
  guest["email"] = "gina@guest.example";
  place.provider.use_account(guest);
  auto const secret = invite("gina@guest.example");
  auto page = place.page();
  CHECK(enter(page, secret) == "/app/jobs");
  CHECK(is_member("gina@guest.example"));
  auto const account = body_of(page.get("/dashboard/v1/me"));
  CHECK(text_of(account, "/session/provider") == "corp");
  CHECK_FALSE(account.at("user").at("emailVerifiedAt").is_null());
  auto const again = page.post("/dashboard/v1/sign-in/oidc/corp/start",
                               R"({"returnTo":"/app/jobs","invitation":")" + secret + R"("})");
  CHECK(code_of(again) == "link_over");

  // A known person accepts as well, and nobody accepts for another address.
  place.provider.use_account(at_corp("hal"));
  auto known = place.page();
  CHECK(page_of(place.sign_in(known)) == "/app/jobs");
  CHECK(enter(known, invite("ivy@corp.example")) == "/app/jobs");
  CHECK_FALSE(is_member("hal@corp.example"));
  CHECK(enter(known, invite("hal@corp.example")) == "/app/jobs");
  CHECK(is_member("hal@corp.example"));
  CHECK_FALSE(is_member("ivy@corp.example"));
}

TEST_CASE("a fresh sign-in at the provider replaces the secret of the session, and another person's does not") {
  auto& place = identity_service();
  place.provider.use_account(at_corp("elsa"));
  auto page = place.page();
  REQUIRE(page_of(place.sign_in(page)) == "/app/jobs");
  auto const user = text_of(body_of(page.get("/dashboard/v1/me")), "/user/id");
  place.installation.sql(
      "UPDATE sessions SET authenticated_at = authenticated_at - interval '16 minutes' WHERE user_id = '" + user +
      "'; SELECT bump_subjects(ARRAY['" + user + "'::uuid])");
  auto const end_others = [&] { return page.call("DELETE", "/dashboard/v1/me/sessions"); };
  // Only the relay tells the instance of a change that was made by SQL.
  CHECK(comes_true([&] { return code_of(end_others()) == "fresh_sign_in_required"; }, std::chrono::seconds(20)));

  auto const visit = [&] {
    auto const started = page.post("/dashboard/v1/me/fresh/oidc", one_member("returnTo", "/app/tokens"));
    REQUIRE(started.status == 200);
    auto const location = text_of(body_of(started), "/location");
    CHECK(location.ends_with("&prompt=login&max_age=0"));
    return page.navigate(place.visit(location));
  };
  auto const before = page.cookie(session_cookie_name);
  place.provider.use_account(at_corp("emil"));
  CHECK(page_of(visit()) == refused_page);
  CHECK(page.cookie(session_cookie_name) == before);
  CHECK(code_of(end_others()) == "fresh_sign_in_required");

  place.provider.use_account(at_corp("elsa"));
  CHECK(page_of(visit()) == "/app/tokens");
  CHECK(page.cookie(session_cookie_name) != before);
  CHECK(end_others().status == 204);
  for (std::size_t instance : {0U, 1U}) {
    browser old(place.installation, instance);
    old.cookies()[session_cookie_name] = before;
    CHECK(code_of(old.get("/dashboard/v1/me")) == "session_rotated");
  }

  auto without = place.page();
  without.sign_in(place.owner.user);
  CHECK(code_of(without.post("/dashboard/v1/me/fresh/oidc", one_member("returnTo", "/app/"))) == "sign_in_refused");
}

TEST_CASE("roles follow the groups of the provider at each sign-in, and a token without groups takes nothing away") {
  auto& place = identity_service();
  auto const project = project_id(place.installation, place.owner);
  place.provider.use_account(at_corp("fay", {"dev"}));
  auto first = place.page();
  first.open_project(project);
  REQUIRE(page_of(place.sign_in(first)) == "/app/jobs");
  CHECK(first.post("/api/tags", R"({"name":"by-fay"})").status == 201);

  auto silent = at_corp("fay");
  silent.erase("groups");
  place.provider.use_account(silent);
  auto second = place.page();
  CHECK(page_of(place.sign_in(second)) == refused_page);
  CHECK(first.get("/api/jobs").status == 200);

  place.provider.use_account(at_corp("fay", {"sales"}));
  CHECK(page_of(place.sign_in(second)) == "/app/jobs");
  // The earlier session loses the role with the answer.
  CHECK(code_of(first.get("/api/jobs")) == "project_not_found");
  CHECK(text_of(body_of(first.get("/dashboard/v1/me")), "/organizations/0/role") == "org_member");
}

TEST_CASE("a person who declines returns to the sign-in page, and the flow is over") {
  auto& place = identity_service();
  place.provider.decline();
  auto page = place.page();
  CHECK(page_of(place.sign_in(page)) == refused_page);
  CHECK_FALSE(page.cookies().contains(flow_cookie_name));
  CHECK_FALSE(page.cookies().contains(session_cookie_name));
}

TEST_CASE("the code of a callback works once, and only in the browser that started the flow") {
  auto& place = identity_service();
  place.provider.use_account(at_corp("gil"));
  auto page = place.page(), attacker = place.page(), victim = place.page();
  // Login CSRF: the attacker's own callback in the browser of a victim.
  auto const stolen = place.visit(place.start(attacker));
  CHECK(page_of(victim.navigate(stolen)) == refused_page);
  CHECK_FALSE(victim.cookies().contains(session_cookie_name));

  auto const target = place.visit(place.start(page));
  // A callback of another flow is refused, and the flow in progress goes on.
  CHECK(page_of(page.navigate(stolen)) == refused_page);
  CHECK(page.cookies().contains(flow_cookie_name));
  auto const flow = page.cookie(flow_cookie_name);
  CHECK(page_of(page.navigate(target)) == "/app/jobs");
  auto const session = page.cookie(session_cookie_name);

  page.cookies()[flow_cookie_name] = flow;
  CHECK(page_of(page.navigate(target)) == refused_page);
  CHECK(page.cookie(session_cookie_name) == session);
  CHECK(page.get("/dashboard/v1/me").status == 200);
}

}  // namespace svc::test
