// Sign-in by password over real sockets and four instances.
#include "browser.hpp"

#include "support/comes_true.hpp"
#include "support/metrics_page.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace svc::test {
namespace {

fleet& password_fleet() {
  // A client names its address itself, as a trusted proxy does.
  static fleet installation(4, {"SVC_TRUSTED_PROXIES=127.0.0.0/8"});
  return installation;
}

constexpr char const* own_password = "seven unrelated words make one";
constexpr char const* device_cookie_name = "__Host-svc_device";

std::string password_body(std::string const& password) {
  return R"({"password":")" + password + R"("})";
}

std::string sign_in_body(std::string const& email, std::string const& password) {
  return R"({"email":")" + email + R"(","password":")" + password + R"("})";
}

/// A member with a password, and the browser in which it was set.
struct member_with_password {
  fleet& installation = password_fleet();
  tenant owner = installation.make_tenant();
  tenant member = installation.make_member(owner, "project_editor");
  browser home{installation};

  member_with_password() {
    home.sign_in(member.user);
    REQUIRE(home.call("PUT", "/dashboard/v1/me/password", password_body(own_password)).status == 204);
  }

  answer attempt(browser& page, std::string const& password = own_password) const {
    return page.post("/dashboard/v1/sign-in/password", sign_in_body(member.user, password));
  }
};

TEST_CASE("a password signs in on every instance, and a new one ends all other sessions") {
  member_with_password m;
  browser laptop(m.installation, 1), phone(m.installation, 2);
  auto const signed_in = m.attempt(laptop);
  CAPTURE(signed_in.body);
  REQUIRE(signed_in.status == 200);
  CHECK(text_of(body_of(signed_in), "/user/email") == m.member.user);
  CHECK(laptop.cookies().contains(session_cookie_name));
  CHECK(laptop.cookies().contains(device_cookie_name));
  CHECK(text_of(body_of(laptop.get("/dashboard/v1/me")), "/session/method") == "password");
  REQUIRE(m.attempt(phone).status == 200);

  auto const other = "another set of unrelated words";
  REQUIRE(laptop.call("PUT", "/dashboard/v1/me/password", password_body(other)).status == 204);
  for (std::size_t instance = 0; instance < 4; ++instance) {
    CAPTURE(instance);
    laptop.move_to(instance);
    CHECK(laptop.get("/dashboard/v1/me").status == 200);
    for (auto* page : {&phone, &m.home}) {
      page->move_to(instance);
      CHECK(code_of(page->get("/dashboard/v1/me")) == "session_ended");
    }
  }
  CHECK(code_of(m.attempt(phone)) == "sign_in_failed");
  CHECK(m.attempt(phone, other).status == 200);
}

TEST_CASE("a link sets the password with its sign-in, and a refused password does not spend it") {
  member_with_password m;
  std::string const link = text_of(m.installation.admin({"create-sign-in-link", "--user", m.member.user}), "/link");
  auto const body = [&](std::string const& password) {
    return R"({"token":")" + link.substr(link.find('#') + 1) + R"(","password":")" + password + R"("})";
  };
  browser page(m.installation, 1);
  auto const preview =
      page.post("/dashboard/v1/sign-in/link/preview", R"({"token":")" + link.substr(link.find('#') + 1) + R"("})");
  CHECK(body_of(preview).at("setsPassword").as_bool());
  auto const weak = page.post("/dashboard/v1/sign-in/link", body("passwordpassword"));
  CHECK(code_of(weak) == "validation_failed");
  CHECK(text_of(body_of(weak), "/details/0/field") == "/password");
  auto const chosen = "new words that nobody has guessed";
  REQUIRE(page.post("/dashboard/v1/sign-in/link", body(chosen)).status == 200);
  CHECK(code_of(m.home.get("/dashboard/v1/me")) == "session_ended");
  CHECK(code_of(page.post("/dashboard/v1/sign-in/link", body(chosen))) == "link_over");
  browser other(m.installation, 2);
  CHECK(code_of(m.attempt(other)) == "sign_in_failed");
  CHECK(m.attempt(other, chosen).status == 200);
}

TEST_CASE("an unknown address, a wrong password and an account without a password have one answer") {
  member_with_password m;
  auto const without = m.installation.make_member(m.owner, "project_viewer");
  browser page(m.installation);
  auto const wrong = m.attempt(page, "not the password of anybody");
  auto const unknown = page.post("/dashboard/v1/sign-in/password",
                                 sign_in_body("nobody-" + m.member.user, "not the password of anybody"));
  auto const none = page.post("/dashboard/v1/sign-in/password", sign_in_body(without.user, own_password));
  for (auto const& refused : {wrong, unknown, none}) {
    CHECK(refused.status == 401);
    CHECK(code_of(refused) == "sign_in_failed");
    CHECK_FALSE(refused.header("set-cookie"));
    CHECK(text_of(body_of(refused), "/error") == text_of(body_of(wrong), "/error"));
  }
}

TEST_CASE("ten attempts at an account pass over four instances, while its owner's browser still signs in") {
  member_with_password m;
  int failed = 0, limited = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    browser stranger(m.installation, i % 4);
    auto const refused = m.attempt(stranger, "guess number " + std::to_string(i));
    failed += code_of(refused) == "sign_in_failed" ? 1 : 0;
    if (code_of(refused) != "too_many_attempts") continue;
    ++limited;
    CHECK(refused.status == 429);
    CHECK(refused.header("ratelimit-policy") == "\"sign_in_account\";q=10;w=900");
    auto const wait = std::stoi(refused.header("retry-after").value_or("0"));
    CHECK((wait > 0 && wait <= 900));
  }
  CHECK(failed == 10);
  CHECK(limited == 14);
  // Even the right password does not pass from a new browser, and one spelling more is not one window more.
  browser stranger(m.installation);
  CHECK(code_of(m.attempt(stranger)) == "too_many_attempts");
  auto shouted = m.member.user;
  for (auto& c : shouted) c = static_cast<char>(std::toupper(c));
  CHECK(code_of(stranger.post("/dashboard/v1/sign-in/password", sign_in_body(shouted, own_password))) ==
        "too_many_attempts");
  // The owner's browser is known since the link was used there.
  CHECK(m.attempt(m.home).status == 200);

  // The first failure and the full window are in the log, and nothing else of the 24 guesses.
  auto const rows = [&](std::string const& action) {
    return m.installation.word(
        "SELECT count(*) FROM audit_log a JOIN users u ON u.id = a.actor_id WHERE u.email = '" + m.member.user +
        "' AND a.action = '" + action + "'");
  };
  CHECK(comes_true([&] { return rows("sign_in.failed") == "1" && rows("sign_in.limited") == "1"; },
                   std::chrono::seconds(20)));
}

/// Counts the answers to guesses of many addresses.
struct guess_counts {
  std::atomic<int> failed{0}, limited{0}, unavailable{0}, others{0};

  void add(answer const& got) {
    auto const code = code_of(got);
    if (code == "sign_in_failed")
      ++failed;
    else if (code == "too_many_attempts")
      ++limited;
    else
      ++(got.status == 503 ? unavailable : others);
  }
};

TEST_CASE("400 addresses that guess at an account at once share ten attempts, and its owner signs in") {
  member_with_password m;
  guess_counts counts;
  std::vector<std::thread> threads;
  for (std::size_t net = 0; net < 20; ++net)
    threads.emplace_back([&, net] {
      for (std::size_t host = 1; host <= 20; ++host) {
        browser stranger(m.installation, host % 4);
        auto const address = "198.18." + std::to_string(net) + "." + std::to_string(host);
        counts.add(stranger.call("POST", "/dashboard/v1/sign-in/password", sign_in_body(m.member.user, "a guess"),
                                 {{"X-Forwarded-For", address}}));
      }
    });
  for (auto& thread : threads) thread.join();
  // An admitted guess whose hash comes too late gets 503.
  CHECK(counts.failed <= 10);
  CHECK(counts.failed + counts.unavailable >= 10);
  CHECK(counts.limited + counts.failed + counts.unavailable == 400);
  CHECK(counts.others == 0);
  // Lines of the log are written after the answers.
  CHECK(comes_true([&] { return m.installation.process(0).err().text().find("198.18.19.20") != std::string::npos; },
                   std::chrono::seconds(20)));
  for (std::size_t i = 0; i < m.installation.size(); ++i) {
    auto const queue = [&] {
      return greatest_of(m.installation.pages(i).get("/metrics").body, "svc_password_queue ");
    };
    CHECK(comes_true([&] { return queue() == 0; }, std::chrono::seconds(60)));
  }
  CHECK(m.attempt(m.home).status == 200);
}

TEST_CASE("a fresh sign-in replaces the secret, and a wrong password does not") {
  member_with_password m;
  auto const before = m.home.cookie(session_cookie_name);
  auto const wrong = m.home.post("/dashboard/v1/me/fresh", password_body("not the password of anybody"));
  CHECK(code_of(wrong) == "sign_in_failed");
  CHECK(m.home.cookie(session_cookie_name) == before);
  REQUIRE(m.home.post("/dashboard/v1/me/fresh", password_body(own_password)).status == 204);
  CHECK(m.home.cookie(session_cookie_name) != before);
  CHECK(m.home.get("/dashboard/v1/me").status == 200);
  browser old(m.installation, 3);
  old.cookies()[session_cookie_name] = before;
  CHECK(code_of(old.get("/dashboard/v1/me")) == "session_rotated");
}

TEST_CASE("20 requests in flight during a fresh sign-in: each is answered, at the latest when it is sent once more") {
  member_with_password m;
  auto const project = project_id(m.installation, m.owner);
  m.home.open_project(project);
  struct flight {
    api_client client;
    std::string method, path, body;
    answer first{}, second{};

    answer send(std::string const& project, std::string const& secret) {
      return client.call(method, path, body,
                         {{"Cookie", std::string(session_cookie_name) + "=" + secret},
                          {"Sec-Fetch-Site", "same-origin"},
                          {"Svc-Project", project}});
    }
  };
  std::vector<flight> all;
  for (std::size_t i = 0; i < 20; ++i) {
    bool const reads = i % 2 == 0;
    all.push_back({m.installation.client(i % 3), reads ? "GET" : "POST", reads ? "/api/jobs" : "/api/tags",
                   reads ? "" : R"({"name":"flight-)" + std::to_string(i) + R"("})"});
  }
  auto const window = "svc:{" + m.member.user_id + "}:w:session:60";
  auto const admitted = [&] { return std::stoi(m.installation.redis({"LLEN", window})); };
  auto const before = m.home.cookie(session_cookie_name);
  auto const at_first = admitted();
  // The fresh sign-in takes the fourth instance, so that nothing delays it.
  for (std::size_t i = 0; i < 3; ++i)
    REQUIRE(m.installation.pages(i).post("/debug/failpoints", "pipeline.before_handler=delay:3000*7").status == 200);
  {
    std::vector<std::jthread> threads;
    for (auto& each : all) threads.emplace_back([&] { each.first = each.send(project, before); });
    REQUIRE(comes_true([&] { return admitted() == at_first + 20; }, std::chrono::milliseconds(2800)));
    m.home.move_to(3);
    REQUIRE(m.home.post("/dashboard/v1/me/fresh", password_body(own_password)).status == 204);
  }
  for (std::size_t i = 0; i < 3; ++i) m.installation.pages(i).post("/debug/failpoints", "");
  int rotated = 0;
  for (auto& each : all) {
    CAPTURE(each.path);
    auto const done = each.method == "GET" ? 200 : 201;
    if (each.first.status == done) continue;
    ++rotated;
    CHECK(each.first.status == 401);
    CHECK(code_of(each.first) == "session_rotated");
    CHECK_FALSE(each.first.header("set-cookie"));
    each.second = each.send(project, m.home.cookie(session_cookie_name));
    CHECK_MESSAGE(each.second.status == done, each.second.body);
  }
  // No change is made with the secret of before, and each is made once.
  CHECK(rotated >= 10);
  CHECK(m.installation.word("SELECT count(*) FROM tags WHERE project_id = '" + project + "'") == "10");
}

TEST_CASE("a weak password is refused with the reason, and nothing has changed") {
  member_with_password m;
  struct {
    std::string password, reason;
  } const rows[] = {{"short", "at least 15 characters"},
                    {"passwordpassword", "among the first that are guessed"},
                    {"1" + m.member.user + "9876", "besides your e-mail address"}};
  for (auto const& row : rows) {
    CAPTURE(row.password);
    auto const refused = m.home.call("PUT", "/dashboard/v1/me/password", password_body(row.password));
    CHECK(code_of(refused) == "validation_failed");
    CHECK(text_of(body_of(refused), "/details/0/field") == "/password");
    CHECK(text_of(body_of(refused), "/details/0/message").find(row.reason) != std::string::npos);
  }
  browser page(m.installation);
  CHECK(m.attempt(page).status == 200);
}

}  // namespace
}  // namespace svc::test
