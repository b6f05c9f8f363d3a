// Invitations from the administrator's page to the new member's session, over several instances.
#include "browser.hpp"

#include "support/free_port.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace svc::test {
namespace {

constexpr char const* good_password = "seven unrelated words make one";

/// An administrator's browser, the organisation's invitations, and what invited people send.
struct inviting : signed_in_member {
  std::string id = installation.word("SELECT id FROM organizations WHERE slug = '" + owner.organization + "'");
  std::string path = "/dashboard/v1/organizations/" + id + "/invitations";

  explicit inviting(std::string const& role = "org_admin") : signed_in_member(role) {}

  answer invite(std::string const& email, std::string const& role = "org_member", std::string const& more = {}) {
    return page.post(path, R"({"email":")" + email + R"(","role":")" + role + R"(","delivery":"copy")" + more + "}");
  }
  /// Invites the address and returns the secret of the link.
  std::string secret_for(std::string const& email, std::string const& role = "org_member") {
    auto const made = invite(email, role);
    if (made.status != 201) throw std::runtime_error("no invitation: " + made.body);
    return secret_in(made);
  }
  static std::string secret_in(answer const& sent) {
    auto const link = text_of(body_of(sent), "/link");
    return link.substr(link.find('#') + 1);
  }
};

std::string acceptance(std::string const& secret, std::string const& password = good_password) {
  return R"({"token":")" + secret + R"(","name":"New Person","password":")" + password + R"("})";
}

answer preview(browser& visitor, std::string const& secret) {
  return visitor.post("/dashboard/v1/sign-in/invitation/preview", one_member("token", secret));
}
answer accept_as_new(browser& visitor, std::string const& secret, std::string const& password = good_password) {
  return visitor.post("/dashboard/v1/sign-in/invitation", acceptance(secret, password));
}
answer accept(browser& visitor, std::string const& secret) {
  return visitor.post("/dashboard/v1/invitations/accept", one_member("token", secret));
}

}  // namespace

TEST_CASE("an invited person makes an account by the link, works on every instance, and signs in again") {
  inviting m;
  auto const sent = m.invite("New.Person@invited.example", "org_member",
                             R"(,"projects":[{"projectId":")" + m.project + R"(","role":"project_editor"}])");
  CAPTURE(sent.body);
  REQUIRE(sent.status == 201);
  CHECK(sent.header("cache-control") == "no-store");
  auto const made = body_of(sent);
  CHECK(text_of(made, "/email") == "new.person@invited.example");
  CHECK(text_of(made, "/state") == "open");
  CHECK(text_of(made, "/projects/0/slug") == "shop");
  CHECK(made.at("delivery").is_null());
  auto const link = text_of(made, "/link");
  CHECK(link.find("/app/invitation#svc_invite_") != std::string::npos);
  auto const secret = inviting::secret_in(sent);
  auto const listed = m.page.get(m.path);
  CHECK(listed.body.find("svc_invite_") == std::string::npos);
  CHECK(text_of(body_of(listed), "/data/0/invitedBy/id") == m.member.user_id);

  browser visitor(m.installation, 1);
  for (int i = 0; i < 2; ++i) {
    auto const shown = preview(visitor, secret);
    CAPTURE(shown.body);
    REQUIRE(shown.status == 200);
    CHECK(text_of(body_of(shown), "/organization/slug") == m.owner.organization);
    CHECK(text_of(body_of(shown), "/role") == "org_member");
    CHECK_FALSE(body_of(shown).at("account").as_bool());
    CHECK(body_of(shown).at("methods").at("password").as_bool());
  }
  auto const weak = accept_as_new(visitor, secret, "password");
  CHECK(code_of(weak) == "validation_failed");
  auto const joined = accept_as_new(visitor, secret);
  CAPTURE(joined.body);
  REQUIRE(joined.status == 200);
  CHECK(text_of(body_of(joined), "/user/name") == "New Person");
  visitor.open_project(m.project);
  for (std::size_t instance : {0U, 1U}) {
    visitor.move_to(instance);
    CHECK(visitor.post("/api/tags", R"({"name":"by-new-)" + std::to_string(instance) + "\"}").status == 201);
    CHECK(text_of(body_of(visitor.get("/dashboard/v1/me")), "/organizations/0/id") == m.id);
    CHECK(code_of(accept_as_new(visitor, secret)) == "link_over");
    CHECK(code_of(preview(visitor, secret)) == "link_over");
    CHECK(code_of(accept(visitor, secret)) == "link_over");
  }
  auto const account = body_of(visitor.get("/dashboard/v1/me"));
  CHECK(account.at("user").at("emailVerifiedAt").is_null());
  CHECK(text_of(account, "/session/method") == "password");
  CHECK(visitor.post("/dashboard/v1/sign-out").status == 204);
  CHECK(visitor
            .post("/dashboard/v1/sign-in/password",
                  R"({"email":"new.person@invited.example","password":")" + std::string(good_password) + R"("})")
            .status == 200);
  CHECK(code_of(m.invite("new.person@invited.example")) == "already_member");
  CHECK(text_of(body_of(m.page.get(m.path)), "/data/0/state") == "accepted");
}

TEST_CASE(
    "a person with an account accepts with the session, at once on every instance, and only the own invitation") {
  inviting m;
  auto const stranger = m.installation.make_tenant(), other = m.installation.make_tenant();
  browser theirs(m.installation, 1), eves(m.installation);
  theirs.sign_in(stranger.user);
  eves.sign_in(other.user);
  theirs.open_project(m.project);
  CHECK(code_of(theirs.get("/api/jobs")) == "project_not_found");
  auto const secret = m.secret_for(stranger.user, "org_admin");
  CHECK(body_of(preview(theirs, secret)).at("account").as_bool());
  browser nobody(m.installation);
  CHECK(code_of(accept_as_new(nobody, secret)) == "account_exists");
  CHECK(nobody.cookies().empty());
  CHECK(code_of(accept(eves, secret)) == "permission_denied");
  CHECK(code_of(accept(nobody, secret)) == "session_required");
  auto const done = accept(theirs, secret);
  CAPTURE(done.body);
  CHECK(done.status == 200);
  CHECK(text_of(body_of(done), "/organization/id") == m.id);
  for (std::size_t instance : {0U, 1U}) {
    theirs.move_to(instance);
    CHECK(theirs.get("/api/jobs").status == 200);
    CHECK(code_of(accept(theirs, secret)) == "link_over");
  }
  auto const rows = body_of(m.page.get("/dashboard/v1/organizations/" + m.id + "/audit?action=invitation.accepted"));
  CHECK(text_of(rows, "/data/0/actor/id") == stranger.user_id);
}

TEST_CASE("whoever may not change members cannot see, send, renew or revoke invitations") {
  inviting m("project_admin");
  auto const admin = m.installation.make_member(m.owner, "org_admin");
  browser by_admin(m.installation, 1), foreign(m.installation);
  by_admin.sign_in(admin.user);
  foreign.sign_in(m.installation.make_tenant().user);
  auto const body = R"({"email":"x@invited.example","role":"org_member","delivery":"copy"})";
  auto const invited = m.path + "/" + text_of(body_of(by_admin.post(m.path, body)), "/id");
  struct {
    char const* method;
    std::string target, body;
  } const cases[] = {
      {"GET", m.path, {}}, {"POST", m.path, body}, {"POST", invited + "/renew", {}}, {"DELETE", invited, {}}};
  for (auto const& c : cases) {
    CAPTURE(c.method);
    CHECK(code_of(m.page.call(c.method, c.target, c.body)) == "permission_denied");
    CHECK(code_of(foreign.call(c.method, c.target, c.body)) == "not_found");
  }
  // An administrator makes no owner, by no way.
  auto const owner_body = R"({"email":"y@invited.example","role":"org_owner","delivery":"copy"})";
  CHECK(code_of(by_admin.post(m.path, owner_body)) == "permission_denied");
  browser by_owner(m.installation);
  by_owner.sign_in(m.owner.user);
  auto const sent = by_owner.post(m.path, owner_body);
  REQUIRE(sent.status == 201);
  auto const of_owner = m.path + "/" + text_of(body_of(sent), "/id");
  CHECK(code_of(by_admin.post(of_owner + "/renew", R"({"delivery":"copy"})")) == "permission_denied");
  CHECK(code_of(by_admin.call("DELETE", of_owner)) == "permission_denied");
  CHECK(code_of(by_admin.post(m.path, R"({"email":"y@invited.example","role":"org_member","delivery":"copy"})")) ==
        "permission_denied");
  CHECK(by_owner.post(of_owner + "/renew").status == 200);

  // Sending needs a fresh sign-in, revoking does not.
  age_sign_in(m.installation, by_admin, admin);
  CHECK(code_of(by_admin.post(m.path, body)) == "fresh_sign_in_required");
  CHECK(code_of(by_admin.post(invited + "/renew")) == "fresh_sign_in_required");
  CHECK(by_admin.call("DELETE", invited, {}, {{"If-Match", "\"7-x\""}}).status == 412);
  CHECK(by_admin.call("DELETE", invited).status == 204);
  CHECK(code_of(by_admin.call("DELETE", invited)) == "not_found");
}

TEST_CASE("a body that names no address, another project or a project twice is refused") {
  inviting m;
  auto const other = m.installation.make_tenant();
  auto const viewer_of = [](std::string const& project) {
    return R"({"projectId":")" + project + R"(","role":"project_viewer"})";
  };
  auto const own = viewer_of(m.project);
  std::string many;
  for (int i = 0; i < 51; ++i) many += (i == 0 ? "" : ",") + own;
  struct {
    char const* name;
    std::string email, more, field;
  } const cases[] = {
      {"no address", "nobody", "", "/email"},
      {"a foreign project", "a@b.example",
       ",\"projects\":[" + own + "," + viewer_of(project_id(m.installation, other)) + "]", "/projects/1/projectId"},
      {"a project twice", "a@b.example", ",\"projects\":[" + own + "," + own + "]", "/projects/1/projectId"},
      {"51 projects", "a@b.example", ",\"projects\":[" + many + "]", "/projects"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const got = m.invite(c.email, "org_member", c.more);
    CAPTURE(got.body);
    CHECK(code_of(got) == "validation_failed");
    CHECK(text_of(body_of(got), "/details/0/field") == c.field);
  }
  browser visitor(m.installation);
  for (char const* token : {"", "svc_invite_", "svc_link_0123456789ABCDEFGHIJabcdefghijKLaaaaaa", "x"}) {
    CHECK(code_of(preview(visitor, token)) == "link_over");
    CHECK(code_of(accept_as_new(visitor, token)) == "link_over");
    CHECK(code_of(accept(m.page, token)) == "link_over");
  }
  auto const cross =
      visitor.call("POST", "/dashboard/v1/sign-in/invitation", acceptance("x"), {{"Origin", "https://evil.example"}});
  CHECK(code_of(cross) == "cross_site_request");
}

TEST_CASE("an organization sends a number of invitations in 24 hours, renewals included, over all instances") {
  inviting m;
  auto const limit = std::string("SVC_LIMITS_INVITATIONS_LIMIT=3");
  auto const strict = m.installation.beside({limit}), second = m.installation.beside({limit});
  auto const open = [&](std::unique_ptr<second_service> const& instance) {
    browser out(m.installation, api_client(instance->url(), m.installation.text("caFile"), {}));
    out.cookies() = m.page.cookies();
    return out;
  };
  auto here = open(strict), there = open(second);
  auto const body = [](int i) {
    return R"({"email":"p)" + std::to_string(i) + R"(@invited.example","role":"org_member","delivery":"copy"})";
  };
  auto const first = here.post(m.path, body(1));
  CAPTURE(first.body);
  REQUIRE(first.status == 201);
  CHECK(there.post(m.path + "/" + text_of(body_of(first), "/id") + "/renew", R"({"delivery":"copy"})").status == 200);
  CHECK(there.post(m.path, body(2)).status == 201);
  for (auto* each : {&here, &there}) {
    auto const refused = each->post(m.path, body(3));
    CHECK(refused.status == 429);
    CHECK(code_of(refused) == "too_many_attempts");
    CHECK(std::stoi(refused.header("retry-after").value_or("0")) > 3600);
  }
  // Others have windows of their own.
  inviting other;
  browser elsewhere(m.installation, api_client(strict->url(), m.installation.text("caFile"), {}));
  elsewhere.cookies() = other.page.cookies();
  CHECK(elsewhere.post(other.path, body(4)).status == 201);
}

TEST_CASE("64 people who accept one invitation at once on two instances make one account") {
  inviting m;
  auto const secret = m.secret_for("only.one@invited.example");
  std::atomic<int> joined = 0, over = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int n = 0; n < 8; ++n) {
        browser visitor(m.installation, static_cast<std::size_t>(i % 2));
        auto const got = accept_as_new(visitor, secret);
        if (got.status == 200) ++joined;
        // With a full queue of hashes, nothing has happened.
        if (code_of(got) == "link_over" || got.status == 503) ++over;
      }
    });
  for (auto& each : threads) each.join();
  CHECK(joined == 1);
  CHECK(over == 63);
}

TEST_CASE("an address that an identity provider manages gets no password by an invitation") {
  inviting m;
  int const port = free_port();
  auto const url = "https://127.0.0.1:" + std::to_string(port);
  temporary_directory files;
  auto environment = m.installation.environment();
  environment.insert(environment.begin(), "SVC_PUBLIC_URL=" + url);
  configured_service const managing(
      m.installation.dev(),
      "[[listeners]]\naddress = '127.0.0.1:" + std::to_string(port) +
          "'\n[[sign_in.oidc]]\nid = 'corp'\nname = 'Corporate login'\nissuer = 'https://127.0.0.1:" +
          std::to_string(free_port()) + "'\nclient_id = 'svc'\nclient_secret_file = '" +
          files.write("secret", "s3cret") + "'\ndomains = ['corp.example']\n",
      environment);
  auto const managed = m.secret_for("mia@corp.example"), free = m.secret_for("mia@free.example");
  browser visitor(m.installation, api_client(url, m.installation.text("caFile"), {}));
  auto const shown = body_of(preview(visitor, managed));
  CHECK_FALSE(shown.at("methods").at("password").as_bool());
  CHECK(text_of(shown, "/methods/oidc/0/id") == "corp");
  CHECK(code_of(accept_as_new(visitor, managed)) == "sign_in_refused");
  CHECK(preview(visitor, managed).status == 200);
  auto const other = body_of(preview(visitor, free));
  CHECK(other.at("methods").at("password").as_bool());
  CHECK(text_of(other, "/methods/oidc/0/id") == "corp");
  CHECK(accept_as_new(visitor, free).status == 200);

  // The organization admits no sessions that a password opens, and only those of another provider.
  auto const late = m.secret_for("late@free.example");
  m.installation.sql(
      R"(UPDATE organizations SET sign_in_policy = '{"signIn":"oidc","providers":["other"]}' WHERE id = ')" + m.id +
      "'");
  auto const strict = body_of(preview(visitor, late));
  CHECK_FALSE(strict.at("methods").at("password").as_bool());
  CHECK(strict.at("methods").at("oidc").as_array().empty());
  CHECK(code_of(accept_as_new(visitor, late)) == "sign_in_refused");
}

TEST_CASE("a service with a mail server mails the link and shows it to nobody, unless the inviter copies it") {
  inviting m;
  auto const mailing = m.installation.beside(
      {"SVC_SMTP_URL=smtp://127.0.0.1:" + std::to_string(free_port()), "SVC_SMTP_FROM=svc@example.org"});
  browser page(m.installation, api_client(mailing->url(), m.installation.text("caFile"), {}));
  page.cookies() = m.page.cookies();
  auto const body = R"({"email":"mailed@invited.example","role":"org_member"})";
  auto const made = page.post(m.path, body);
  CAPTURE(made.body);
  REQUIRE(made.status == 201);
  CHECK(body_of(made).at("link").is_null());
  CHECK(text_of(body_of(made), "/delivery/state") == "waiting");
  auto const id = text_of(body_of(made), "/id");
  CHECK(m.installation.word("SELECT recipient FROM system_mails WHERE invitation_id = '" + id + "'") ==
        "mailed@invited.example");
  CHECK(text_of(body_of(page.get(m.path)), "/data/0/delivery/state") == "waiting");
  auto const copied = page.post(m.path + "/" + id + "/renew", R"({"delivery":"copy"})");
  CHECK(preview(page, inviting::secret_in(copied)).status == 200);
  CHECK(body_of(copied).at("delivery").is_null());
  CHECK(m.installation.word("SELECT count(*) FROM system_mails WHERE invitation_id = '" + id + "'") == "0");
  auto const mailed = page.post(m.path + "/" + id + "/renew");
  CHECK(body_of(mailed).at("link").is_null());
  CHECK(code_of(preview(page, inviting::secret_in(copied))) == "link_over");
}

}  // namespace svc::test
