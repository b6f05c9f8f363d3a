#include "integration/cli/scripted_server.hpp"
#include "integration/cli/user_desk.hpp"
#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

#include <memory>

using namespace svc::test;
using svc::token_kind;

namespace {

std::vector<std::string> const whole_store{"/.config/svc/credentials.json 600"};

bool says(svc_result const& got, std::string const& text) {
  return (got.out + got.err).find(text) != std::string::npos;
}

std::string unknown(token_kind kind) {
  return std::string(svc::mint_token(kind).key.reveal());
}

char const* const whoami_body =
    R"({"id": "1", "kind": "cli", "name": "ci", "project": {"id": "2", "slug": "shop"},
        "organization": {"id": "3", "slug": "acme"}, "user": {"id": "4", "name": "Ada"}, "role": "project_admin",
        "limits": {"limit": 1000, "windowSeconds": 60}})";

}  // namespace

TEST_CASE("login stores a valid token only for the user; whoami uses it, logout deletes it") {
  user_desk const desk;
  auto const token = service_of_this_file().text("token");
  CHECK(desk.run({"whoami"}).code == 2);

  auto const login = desk.run({"login", "--token", "-"}, {}, token + "\n");
  CHECK(login.code == 0);
  CHECK(says(login, "Logged in"));
  CHECK(says(login, "Demo User"));
  CHECK(desk.files_with(token) == whole_store);
  CHECK(std::filesystem::status(desk.config()).permissions() == std::filesystem::perms(0700));

  auto const whoami = desk.run({"whoami", "--json"});
  CHECK(whoami.code == 0);
  CHECK(boost::json::parse(whoami.out).at("role").as_string() == "org_owner");
  auto const shown = desk.run({"whoami"});
  CHECK(says(shown, service_of_this_file().text("url")));
  CHECK(says(shown, "svc login"));

  auto const logout = desk.run({"logout"});
  CHECK(logout.code == 0);
  CHECK(says(logout, "svc token revoke"));
  CHECK(desk.files_with(token).empty());
  CHECK(desk.run({"whoami"}).code == 2);
  CHECK(says(desk.run({"logout"}), "No token was stored"));
  for (auto const& each : {login, whoami, shown, logout}) CHECK_FALSE(says(each, token.substr(10)));
}

TEST_CASE("a token that is stored for another address is named, and not sent") {
  user_desk const desk;
  auto const token = service_of_this_file().text("token"), stored_for = service_of_this_file().text("url");
  REQUIRE(desk.run({"login", "--token", "-"}, {}, token + "\n").code == 0);
  scripted_server const other([](received const&) { return whole_answer(200, "{}"); });
  auto const got = desk.run({"job", "list"}, {"SERVICE_URL=" + other.url()});
  CHECK(got.code == 2);
  CHECK_MESSAGE(says(got, "There is no token for " + other.url() +
                              ", which SERVICE_URL names. svc login has stored one for " + stored_for + "."),
                got.err);
  CHECK_MESSAGE(says(got, "--url " + stored_for), got.err);
  CHECK(other.requests().empty());
}

TEST_CASE("a text that is not a valid token of the service is not stored") {
  user_desk const desk;
  auto const token = service_of_this_file().text("token");
  auto const runner = std::string(svc::mint_runner_token().key.reveal());
  struct {
    std::string token;
    std::vector<std::string> environment;
    int code;
    char const* says;
  } const rows[] = {
      {unknown(token_kind::cli), {}, 2, "svc login"},
      {unknown(token_kind::test), {}, 2, ""},
      {service_of_this_file().text("triggerKey"), {}, 3, "trigger key"},
      {runner, {}, 3, "runner's token"},
      {token.substr(0, token.size() - 1) + "-", {}, 3, "no valid credential"},
      {"", {}, 3, "is empty"},
      {std::string(100'000, 'x'), {}, 3, "no valid credential"},
      {token, {"SERVICE_ORG=elsewhere"}, 3, "SERVICE_ORG names the organization elsewhere, but the token belongs to"},
      {token, {"SERVICE_CACERT="}, 4, ""},
      {token, {"SERVICE_URL=https://127.0.0.1:1"}, 4, ""},
      {token, {"SERVICE_URL=http://example.com"}, 3, "plain HTTP"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.says);
    auto const got = desk.run({"login", "--token", "-", "--timeout", "20"}, row.environment, row.token);
    CHECK(got.code == row.code);
    CHECK(says(got, row.says));
    CHECK_FALSE(std::filesystem::exists(desk.config() + "/credentials.json"));
    if (row.token.size() > 20) CHECK_FALSE(says(got, row.token.substr(row.token.size() - 15)));
  }
  // A failed login keeps what was there.
  CHECK(desk.run({"login", "--token", "-"}, {}, token).code == 0);
  CHECK(desk.run({"login", "--token", "-"}, {}, unknown(token_kind::cli)).code == 2);
  CHECK(desk.run({"whoami"}).code == 0);
}

TEST_CASE("a token among the arguments works, with a warning") {
  user_desk const desk;
  auto const token = service_of_this_file().text("token");
  auto const got = desk.run({"login", "--token", token}, {"SERVICE_TOKEN=" + unknown(token_kind::cli)});
  CHECK(got.code == 0);
  CHECK(says(got, "list of processes"));
  CHECK(says(got, "SERVICE_TOKEN is set and takes precedence"));
  CHECK_FALSE(says(got, token));
  CHECK(desk.files_with(token) == whole_store);
  CHECK(desk.run({"login"}).code == 3);
}

TEST_CASE("a token that is typed is not shown") {
  user_desk const desk;
  auto const token = service_of_this_file().text("token");
  svc_process process({.arguments = {"login"},
                       .environment = desk.address(),
                       .input = std::nullopt,
                       .home = desk.home(),
                       .terminal = terminal_size{}});
  auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (process.out().text().find("Token for https://") == std::string::npos &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  process.write(token + "\n");
  auto const got = process.wait();
  CHECK(got.code == 0);
  CHECK_FALSE(says(got, token));
  CHECK(desk.files_with(token) == whole_store);
}

TEST_CASE("an address that only the working copy names is not logged in to") {
  user_desk const desk;
  auto const& service = service_of_this_file();
  desk.write("repo/svc.toml", "url = \"" + service.text("url") + "\"\n");
  auto const in_repo = [&](std::vector<std::string> const& arguments) {
    return desk.run(arguments, {"SERVICE_URL="}, service.text("token"), desk.home() + "/repo");
  };
  auto const refused = in_repo({"login", "--token", "-"});
  CHECK(refused.code == 3);
  CHECK(says(refused, "svc login --url " + service.text("url")));
  CHECK(in_repo({"login", "--token", "-", "--url", service.text("url")}).code == 0);
  // From then on it is the user's own.
  CHECK(in_repo({"login", "--token", "-"}).code == 0);
  CHECK(in_repo({"whoami"}).code == 0);
}

TEST_CASE("an answer of something else stores nothing") {
  for (auto const& [status, body] : {std::pair{200, "{}"}, {200, "<html>"}, {302, "{}"}, {404, "{}"}}) {
    CAPTURE(body);
    scripted_server const server([&, status = status, body = body](received const&) {
      return whole_answer(status, body, status == 302 ? "Location: http://127.0.0.1:1/\r\n" : "");
    });
    user_desk const desk;
    auto const got = desk.run({"login", "--token", "-"}, {"SERVICE_URL=" + server.url()}, unknown(token_kind::cli));
    CHECK(got.code == 4);
    CHECK_FALSE(std::filesystem::exists(desk.config() + "/credentials.json"));
  }
}

TEST_CASE("all of twenty simultaneous logins are stored") {
  constexpr int logins = 20;
  scripted_server const server([](received const&) { return whole_answer(200, whoami_body); });
  user_desk const desk;
  std::vector<std::unique_ptr<svc_process>> all;
  for (int i = 0; i < logins; ++i) {
    auto const token = unknown(token_kind::cli);
    all.push_back(std::make_unique<svc_process>(
        invocation{.arguments = {"login", "--token", "-"},
                   .environment = {"SERVICE_URL=" + server.url() + "/service" + std::to_string(i)},
                   .input = token,
                   .home = desk.home()}));
  }
  for (auto& each : all) {
    auto const got = each->wait();
    CHECK_MESSAGE(got.code == 0, got.err);
  }
  for (int i = 0; i < logins; ++i) CHECK(desk.files_with("/service" + std::to_string(i) + "\"") == whole_store);
  auto const gone = desk.run({"logout", "--all", "--json"}, {"SERVICE_URL="});
  CHECK(boost::json::parse(gone.out).at("loggedOut").as_array().size() == logins);
  CHECK(desk.files_with("svc_live_").empty());
}
