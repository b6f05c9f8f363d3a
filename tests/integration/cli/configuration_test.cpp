#include "integration/cli/user_desk.hpp"
#include "svc/domain/token.hpp"

#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace svc::test;

namespace {

constexpr char const* whoami_route = "GET /api/auth/whoami";

bool mentions(svc_result const& got, std::string const& text) {
  return (got.out + got.err).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("settings that are wrong end a command before anything is sent") {
  auto& service = service_of_this_file();
  auto const secret = std::string(svc::mint_token(svc::token_kind::cli).key.reveal());
  auto const key = service.text("triggerKey");
  struct {
    char const* file;
    std::string content;
    std::vector<std::string> environment;
    std::vector<std::string> says;
  } const rows[] = {
      {"svc.toml", "organization = \"demo\"\n# " + secret, {}, {"/svc.toml:2", "Revoke it"}},
      {".config/svc/config.toml", "\n\nproject = \"" + secret + "\"", {}, {"/config.toml:3", "Revoke it"}},
      {"svc.toml", "organisation = \"demo\"", {}, {"/svc.toml:1", "organisation", "organization, project"}},
      {"svc.toml", "cacert = \"ca.pem\"", {}, {"cacert is not allowed", "SERVICE_CACERT"}},
      {"svc.toml", "url = ", {}, {"/svc.toml:1"}},
      {"svc.toml", "url = \"https://evil.example\"", {"SERVICE_URL="}, {"SERVICE_TOKEN is not sent there"}},
      {"svc.toml", "", {"SERVICE_URL="}, {"--url", "SERVICE_URL"}},
      {"svc.toml", "", {"SERVICE_URL=http://ci.example.com"}, {"SERVICE_URL is plain HTTP"}},
      {"svc.toml", "", {"SERVICE_TOKEN=" + key}, {"SERVICE_TOKEN holds a trigger key"}},
      {"svc.toml", "", {"SERVICE_TRIGGER_KEY=" + service.text("token")}, {"SERVICE_TRIGGER_KEY holds a CLI token"}},
      {"svc.toml", "", {"SERVICE_TOKEN=hunter2"}, {"SERVICE_TOKEN holds no valid credential"}},
  };
  for (auto const& row : rows) {
    CAPTURE(row.content);
    user_desk const desk;
    desk.write(row.file, row.content);
    auto environment = row.environment;
    bool token_given = false;
    for (auto const& each : environment) token_given = token_given || each.starts_with("SERVICE_TOKEN=");
    if (!token_given) environment = desk.with_token(environment);
    auto const before = answered(service, "");
    auto const got = desk.run({"whoami"}, environment);
    CHECK(got.code == 3);
    CHECK(got.out.empty());
    for (auto const& part : row.says) CHECK_MESSAGE(mentions(got, part), got.err);
    for (auto const& hidden : {secret, key, service.text("token")}) CHECK_FALSE(mentions(got, hidden.substr(13)));
    CHECK_FALSE(mentions(got, "hunter2"));
    CHECK(answered(service, "") == before);
    auto const as_json = boost::json::parse(desk.run({"whoami", "--json"}, environment).err);
    CHECK(as_json.at("exitCode").as_int64() == 3);
  }
}

TEST_CASE("a fifo in a file's place is not waited for") {
  user_desk const desk;
  ::mkfifo((desk.home() + "/svc.toml").c_str(), 0600);
  auto const got = desk.run({"whoami"}, desk.with_token());
  CHECK(got.code == 3);
  CHECK(mentions(got, "not a regular file"));
}

TEST_CASE("flags beat the environment, that the project's file, that the user's file") {
  auto& service = service_of_this_file();
  user_desk const desk;
  auto const list = [&](std::vector<std::string> arguments, std::vector<std::string> const& environment) {
    arguments.insert(arguments.begin(), {"job", "list"});
    return desk.run(arguments, desk.with_token(environment), "", desk.home() + "/repo/deep").code;
  };
  desk.write("repo/deep/file", "");
  desk.write(".config/svc/config.toml", "url = \"" + service.text("url") + "\"\nproject = \"user\"\n");
  CHECK(list({}, {"SERVICE_URL="}) == 3);
  desk.write("repo/svc.toml", "project = \"demo\"\n");
  CHECK(list({}, {"SERVICE_URL="}) == 0);
  CHECK(list({}, {"SERVICE_PROJECT=other"}) == 3);
  CHECK(list({"--project", "demo"}, {"SERVICE_PROJECT=other"}) == 0);
  CHECK(list({"--url", "https://127.0.0.1:1", "--timeout", "20"}, {}) == 4);
}

TEST_CASE("a token of another project does nothing") {
  auto& service = service_of_this_file();
  user_desk const desk;
  struct {
    std::vector<std::string> environment;
    char const* says;
  } const rows[] = {
      {{"SERVICE_ORG=acme"}, "SERVICE_ORG names the organization acme, but the token belongs to demo"},
      {{"SERVICE_ORG=demo", "SERVICE_PROJECT=web"}, "SERVICE_PROJECT names the project web"},
  };
  for (auto const& row : rows) {
    auto const before = answered(service, "POST /api/tags");
    auto const got = desk.run({"tag", "create", "urgent"}, desk.with_token(row.environment));
    CHECK(got.code == 3);
    CHECK(mentions(got, row.says));
    CHECK(answered(service, "POST /api/tags") == before);
    auto const told = desk.run({"whoami"}, desk.with_token(row.environment));
    CHECK(told.code == 0);
    CHECK(mentions(told, row.says));
  }
}

TEST_CASE("a trigger key without a token cannot be checked, a token with it can") {
  auto& service = service_of_this_file();
  user_desk const desk;
  constexpr char const* trigger_route = "POST /api/jobs/{id}/trigger";
  auto const triggered = [&](std::vector<std::string> environment, int code) {
    environment.insert(environment.end(), {"SERVICE_TRIGGER_KEY=" + service.text("triggerKey"), "SERVICE_ORG=acme"});
    auto const before = answered(service, trigger_route);
    CHECK(desk.run({"job", "trigger", service.text("jobId")}, environment).code == code);
    return answered(service, trigger_route) - before;
  };
  auto const before = answered(service, whoami_route);
  CHECK(triggered({}, 0) == 1);
  CHECK(answered(service, whoami_route) == before);
  CHECK(triggered(desk.with_token(), 3) == 0);
}

TEST_CASE("whoami is asked once a day for each token") {
  auto& service = service_of_this_file();
  user_desk const desk;
  auto const asked = [&](std::vector<std::string> const& arguments, std::vector<std::string> const& environment) {
    auto const before = answered(service, whoami_route);
    CHECK(desk.run(arguments, environment).code == 0);
    return answered(service, whoami_route) - before;
  };
  auto const named = desk.with_token({"SERVICE_ORG=demo", "SERVICE_PROJECT=demo"});
  CHECK(asked({"job", "list"}, named) == 1);
  CHECK(asked({"job", "list"}, named) == 0);
  CHECK(asked({"run", "list"}, named) == 0);
  CHECK(asked({"job", "list"}, desk.with_token()) == 0);
  // Another token causes another question, and a warning about its expiry.
  auto const other = new_token(service, "other", 3600);
  CHECK(asked({"job", "list"}, {"SERVICE_TOKEN=" + other, "SERVICE_ORG=demo"}) == 1);
  // Nothing that needs a token, nothing asked.
  CHECK(asked({"health"}, {"SERVICE_TOKEN=" + other, "SERVICE_ORG=elsewhere"}) == 0);
  CHECK(desk.files_with(other).empty());
  CHECK(desk.files_with(service.text("token")).empty());

  // Where nothing can be kept, it is asked each time.
  std::filesystem::remove_all(desk.cache());
  desk.write(".cache/svc", "a file");
  CHECK(asked({"job", "list"}, named) == 1);
  CHECK(asked({"job", "list"}, named) == 1);
}

TEST_CASE("a token that expires soon causes a warning, once a day") {
  auto& service = service_of_this_file();
  user_desk const desk;
  auto const soon = std::vector{"SERVICE_TOKEN=" + new_token(service, "soon", 3 * 86400)};
  auto const first = desk.run({"job", "list"}, soon);
  CHECK(first.code == 0);
  CHECK(first.err.find("warning: The token expires in 2 days") != std::string::npos);
  CHECK(desk.run({"job", "list"}, soon).err.find("expires") == std::string::npos);
  auto const late = std::vector{"SERVICE_TOKEN=" + new_token(service, "late", 15 * 86400)};
  CHECK(desk.run({"job", "list"}, late).err.empty());
}

TEST_CASE("a stored token is used only for its address") {
  auto& service = service_of_this_file();
  user_desk const desk;
  CHECK(desk.run({"login", "--token", "-"}, {}, service.text("token")).code == 0);
  CHECK(desk.run({"whoami"}).code == 0);
  auto elsewhere = service.text("url");
  elsewhere.replace(elsewhere.find("127.0.0.1"), 9, "localhost");
  CHECK(desk.run({"whoami"}, {"SERVICE_URL=" + elsewhere}).code == 2);
  // Others could have read it.
  std::filesystem::permissions(desk.config() + "/credentials.json", std::filesystem::perms(0644));
  auto const open = desk.run({"whoami"});
  CHECK(open.code == 3);
  CHECK(mentions(open, "revoke"));
  CHECK(desk.run({"whoami"}, desk.with_token()).code == 0);
}
