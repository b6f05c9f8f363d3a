// Recovery of an account and invitations by mail, from the request of a browser to the session, over a real mail
// server.
#include "browser.hpp"
#include "searched_places.hpp"

#include "support/comes_true.hpp"
#include "support/free_port.hpp"
#include "support/mail_servers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace svc::test {
namespace {

/// An instance whose operator has a mail server and an identity provider for corp.example, on the stores of
/// `session_fleet`, whose own instances have neither.
class mailing_instance {
 public:
  explicit mailing_instance(std::vector<std::string> more = {}) : more_(std::move(more)) {}

  fleet& installation = session_fleet();
  mail_sink const sink;

  browser page() const { return {installation, api_client(url(), installation.text("caFile"), {})}; }
  api_client pages() const { return {process_.admin_url(), {}, {}}; }
  service& process() { return process_.process(); }
  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  std::string const& config_file() const { return process_.config_file(); }

  /// Returns the secret of the newest link that was mailed to the address; waits for it.
  std::string mailed_secret(std::string const& email, std::string const& link_page = "/app/link") const {
    std::string found;
    auto const look = [&] {
      for (auto const& each : sink.mails()) {
        if (std::string_view(each.at_pointer("/recipients/0").as_string()) != email) continue;
        std::string const text(each.at("text").as_string());
        auto const start = text.find(url() + link_page + "#");
        if (start == std::string::npos) continue;
        auto const secret = text.find('#', start) + 1;
        found = text.substr(secret, text.find('\n', secret) - secret);
      }
      return !found.empty();
    };
    comes_true(look, std::chrono::seconds(20));
    return found;
  }

 private:
  std::string tables() const {
    return "[[listeners]]\naddress = '127.0.0.1:" + std::to_string(port_) +
           "'\n[smtp]\nurl = 'smtp://127.0.0.1:" + std::to_string(sink.port()) +
           "'\nfrom = 'svc@svc.example'\n[[sign_in.oidc]]\nid = 'corp'\nissuer = " + "'https://127.0.0.1:" +
           std::to_string(free_port()) + "'\nclient_id = 'svc'\nclient_secret_file = '" +
           files_.write("secret", "s3cret") + "'\ndomains = ['corp.example']\n";
  }
  std::vector<std::string> environment() const {
    auto out = installation.environment();
    out.insert(out.begin(), "SVC_PUBLIC_URL=" + url());
    out.insert(out.begin(), more_.begin(), more_.end());
    return out;
  }

  std::vector<std::string> more_;  ///< of the environment
  int port_ = free_port();
  temporary_directory files_;
  configured_service process_{installation.dev(), tables(), environment()};
};

constexpr char const* recovery_path = "/dashboard/v1/sign-in/recovery";

/// Asks for the recovery of the address, and returns the milliseconds of the answer. A request that finds the queue
/// full is repeated.
double recovery_time(browser& page, std::string const& email, std::string& body) {
  double took = 0;
  auto const asked = [&] {
    auto const start = std::chrono::steady_clock::now();
    auto const got = page.post(recovery_path, one_member("email", email));
    took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    body = got.body;
    if (got.status != 503) REQUIRE(got.status == 202);
    return got.status == 202;
  };
  REQUIRE(comes_true(asked, std::chrono::seconds(20), std::chrono::milliseconds(100)));
  return took;
}

double median_of(std::vector<double> times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

std::string link_body(std::string const& secret, std::string const& password) {
  return R"({"token":")" + secret + R"(","password":")" + password + R"("})";
}

}  // namespace

TEST_CASE("a forgotten password is replaced by a mailed link, which ends all sessions and proves the address") {
  mailing_instance place;
  auto const owner = place.installation.make_tenant();
  browser home(place.installation, 1);
  home.sign_in(owner.user);
  CHECK(body_of(home.get("/dashboard/v1/me")).at("user").at("emailVerifiedAt").is_null());

  auto page = place.page();
  auto const methods = body_of(page.get("/dashboard/v1/sign-in/methods"));
  CHECK(methods.at("recovery").as_bool());
  std::string shouted = owner.user;
  for (auto& c : shouted) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  auto const asked = page.post(recovery_path, one_member("email", " " + shouted));
  CAPTURE(asked.body);
  REQUIRE(asked.status == 202);
  auto const secret = place.mailed_secret(owner.user);
  REQUIRE_FALSE(secret.empty());
  auto const preview = body_of(page.post("/dashboard/v1/sign-in/link/preview", one_member("token", secret)));
  CHECK(text_of(preview, "/kind") == "recovery");
  CHECK(preview.at("setsPassword").as_bool());

  auto const password = "seven unrelated words make one";
  auto const signed_in = page.post("/dashboard/v1/sign-in/link", link_body(secret, password));
  CAPTURE(signed_in.body);
  REQUIRE(signed_in.status == 200);
  CHECK_FALSE(body_of(page.get("/dashboard/v1/me")).at("user").at("emailVerifiedAt").is_null());
  CHECK(code_of(home.get("/dashboard/v1/me")) == "session_ended");
  CHECK(code_of(page.post("/dashboard/v1/sign-in/link", link_body(secret, password))) == "link_over");
  browser other(place.installation);
  CHECK(other
            .post("/dashboard/v1/sign-in/password",
                  R"({"email":")" + owner.user + R"(","password":")" + password + R"("})")
            .status == 200);
  CHECK(place.pages().get("/metrics").body.find(R"(svc_system_mails_total{kind="recovery",outcome="sent"} 1)") !=
        std::string::npos);
  searched_places places(place.installation);
  places.add_process(place.process(), place.pages());
  places.check_absence({{"mailed link", secret}});
}

TEST_CASE(
    "every address gets the same answer to a request for recovery, and only accounts with a password get a mail") {
  mailing_instance const place;
  auto const owner = place.installation.make_tenant();
  auto const banned = place.installation.make_member(place.installation.make_tenant(), "project_viewer");
  place.installation.admin({"ban-user", "--user", banned.user});
  std::string const managed = "rita@corp.example";
  place.installation.admin({"create-user", "--email", managed, "--name", "Rita"});
  auto page = place.page();
  auto const first = page.post(recovery_path, one_member("email", "nobody@elsewhere.example"));
  REQUIRE(first.status == 202);
  for (auto const& email : {banned.user, managed, std::string("not an address"), owner.user}) {
    CAPTURE(email);
    auto const got = page.post(recovery_path, one_member("email", email));
    CHECK(got.status == 202);
    CHECK(got.body == first.body);
    CHECK_FALSE(got.header("set-cookie"));
  }
  // The queue is handled in order, so the owner's mail says that the others had their turn.
  REQUIRE_FALSE(place.mailed_secret(owner.user).empty());
  // Mails of earlier tests may arrive as well, because all instances share their stores.
  for (auto const& each : place.sink.mails()) {
    std::string_view const recipient = each.at_pointer("/recipients/0").as_string();
    for (std::string_view const silent :
         {std::string_view(banned.user), std::string_view(managed), std::string_view("nobody@elsewhere.example")})
      CHECK(recipient != silent);
  }
  CHECK(place.installation.word("SELECT count(*) FROM links l JOIN users u ON u.id = l.user_id WHERE u.email IN ('" +
                                banned.user + "', '" + managed + "')") == "0");
}

TEST_CASE("an answer to a request for recovery does not depend on the account, nor does its time") {
  char const* const chosen = std::getenv("TEST_RECOVERY_TIMES");
  int const rounds = chosen != nullptr ? std::max(100, std::atoi(chosen)) : 50;
  mailing_instance const place({"SVC_LIMITS_RECOVERY_LIMIT=1000000", "SVC_LIMITS_SIGN_IN_LIMIT=1000000"});
  place.installation.sql(
      "CREATE TEMP TABLE timed AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, 50) n;"
      "INSERT INTO subjects (id) SELECT id FROM timed; INSERT INTO users (id, email, name)"
      " SELECT id, 'known-' || n || '@timed.example', 'Known' FROM timed");
  auto page = place.page();
  std::vector<double> known, unknown;
  std::string first, other;
  for (int i = 0; i < rounds; ++i) {
    // In turns, and each is the first of its pair as often as the other.
    auto const of_known = [&] {
      known.push_back(recovery_time(page, "known-" + std::to_string(i % 50 + 1) + "@timed.example", first));
    };
    auto const of_unknown = [&] {
      unknown.push_back(recovery_time(page, "nobody-" + std::to_string(i % 50 + 1) + "@timed.example", other));
    };
    if (i % 2 == 0) of_known();
    of_unknown();
    if (i % 2 != 0) of_known();
    CHECK(first == other);
  }
  REQUIRE_FALSE(place.mailed_secret("known-1@timed.example").empty());
  auto const of_accounts = median_of(known), of_nobody = median_of(unknown);
  MESSAGE("recovery in ms, p50 of " << rounds << ": known " << of_accounts << ", unknown " << of_nobody);
  // Two noisy cores: the long form, on a quiet machine, holds the promise.
  if (chosen != nullptr) CHECK(std::abs(of_accounts - of_nobody) <= 0.05 * std::min(of_accounts, of_nobody));
}

TEST_CASE("an address takes three requests for recovery in an hour, over all instances and spellings") {
  mailing_instance const place;
  auto page = place.page();
  for (auto const* email : {"flood@elsewhere.example", "FLOOD@elsewhere.example", " flood@Elsewhere.example "})
    CHECK(page.post(recovery_path, one_member("email", email)).status == 202);
  auto const refused = page.post(recovery_path, one_member("email", "flood@elsewhere.example"));
  CHECK(refused.status == 429);
  CHECK(code_of(refused) == "too_many_attempts");
  CHECK(refused.header("ratelimit-policy") == "\"recovery\";q=3;w=3600");
  CHECK(page.post(recovery_path, one_member("email", "other@elsewhere.example")).status == 202);
}

TEST_CASE("a service without a mail server offers no recovery, and a page of another site cannot ask for one") {
  browser page(session_fleet());
  CHECK_FALSE(body_of(page.get("/dashboard/v1/sign-in/methods")).at("recovery").as_bool());
  CHECK(code_of(page.post(recovery_path, one_member("email", "a@elsewhere.example"))) == "sign_in_refused");
  auto const foreign = session_fleet().client(0).http().request(
      "POST", recovery_path, {{"Sec-Fetch-Site", "cross-site"}, {"Content-Type", "application/json"}},
      one_member("email", "a@elsewhere.example"));
  CHECK(code_of(foreign) == "cross_site_request");
}

TEST_CASE("an invitation is mailed, proves the address of the new account, and shows a delivery that has failed") {
  mailing_instance const place;
  auto const owner = place.installation.make_tenant();
  auto admin = place.page();
  admin.sign_in(owner.user);
  auto const id = place.installation.word("SELECT id FROM organizations WHERE slug = '" + owner.organization + "'");
  auto const path = "/dashboard/v1/organizations/" + id + "/invitations";
  auto const invite = [&](std::string const& email) {
    return admin.post(path, R"({"email":")" + email + R"(","role":"org_member"})");
  };
  auto const sent = invite("eve@invited.example");
  CAPTURE(sent.body);
  REQUIRE(sent.status == 201);
  CHECK(body_of(sent).at("link").is_null());
  auto const secret = place.mailed_secret("eve@invited.example", "/app/invitation");
  REQUIRE_FALSE(secret.empty());
  auto visitor = place.page();
  auto const accepted =
      visitor.post("/dashboard/v1/sign-in/invitation",
                   R"({"token":")" + secret + R"(","name":"Eve","password":"seven unrelated words make one"})");
  CAPTURE(accepted.body);
  REQUIRE(accepted.status == 200);
  CHECK_FALSE(body_of(visitor.get("/dashboard/v1/me")).at("user").at("emailVerifiedAt").is_null());

  auto const refused = body_of(invite("never@invited.example"));
  auto const delivery = [&] { return body_of(admin.get(path)).at("data").at(0).at("delivery"); };
  REQUIRE(comes_true([&] { return text_of(delivery().as_object(), "/state") == "failed"; }, std::chrono::seconds(20),
                     std::chrono::milliseconds(50)));
  CHECK(text_of(delivery().as_object(), "/reason") == "rejected");
  auto const copied = admin.post(path + "/" + text_of(refused, "/id") + "/renew", R"({"delivery":"copy"})");
  CAPTURE(copied.body);
  CHECK(text_of(body_of(copied), "/link").starts_with(place.url() + "/app/invitation#svc_invite_"));
}

TEST_CASE("the operator sets the sign-in policy of an organization, with providers of the configuration only") {
  mailing_instance place;
  auto const owner = place.installation.make_tenant();
  browser home(place.installation, 1);
  home.sign_in(owner.user);
  auto const id = place.installation.word("SELECT id FROM organizations WHERE slug = '" + owner.organization + "'");
  auto const path = "/dashboard/v1/organizations/" + id;
  REQUIRE(home.get(path).status == 200);
  auto const set = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"admin",  "set-sign-in-policy", "--organization",   owner.organization,
                                       "--json", "--config",           place.config_file()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    service command(std::move(arguments), {});
    auto const code = command.wait();
    return std::pair(code, code == 0 ? command.out().text() : command.err().text());
  };
  auto const unknown = set({"--sign-in", "oidc", "--provider", "elsewhere"});
  CHECK(unknown.first == 1);
  CHECK(unknown.second.find("no identity provider \"elsewhere\"") != std::string::npos);
  CHECK(home.get(path).status == 200);
  CHECK(set({"--sign-in", "password"}).first == 2);

  auto const strict = set({"--sign-in", "oidc", "--provider", "corp"});
  CAPTURE(strict.second);
  REQUIRE(strict.first == 0);
  CHECK(strict.second.find(R"("providers":["corp"])") != std::string::npos);
  for (std::size_t instance = 0; instance < 2; ++instance) {
    home.move_to(instance);
    CHECK(code_of(home.get(path)) == "policy_not_met");
  }
  REQUIRE(set({"--sign-in", "any"}).first == 0);
  CHECK(home.get(path).status == 200);
  CHECK(place.installation.word("SELECT count(*) FROM audit_log WHERE action = 'organization.policy_set' AND "
                                "organization_id = '" +
                                id + "' AND actor_name = 'operator'") == "2");
}

}  // namespace svc::test
