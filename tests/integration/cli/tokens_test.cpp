#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_process.hpp"

#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace svc::test;
namespace json = boost::json;

namespace {

/// The service of this file's tests, and `svc` as its administrator.
struct token_location {
  temporary_directory directory;
  dev_service service{directory.path() + "/dev"};

  static token_location& shared() {
    static token_location spot;
    return spot;
  }
  /// Runs `svc`. `environment` overrides the administrator's, because the first of two variables with one name
  /// counts.
  svc_result run(std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
    auto const usual = environment_of(service);
    environment.insert(environment.end(), usual.begin(), usual.end());
    return run_svc({.arguments = std::move(arguments), .environment = std::move(environment)});
  }
  /// Returns the secret of a new token.
  std::string new_token(std::string const& name) {
    auto const made = run({"token", "create", name, "--secret-only"});
    INFO(made.err);
    REQUIRE(made.code == 0);
    return made.out.substr(0, made.out.size() - 1);
  }
  int whoami_code(std::string const& secret) { return run({"whoami"}, {"SERVICE_TOKEN=" + secret}).code; }
  std::string path(std::string const& name) const { return directory.path() + "/" + name; }
};

std::string content_of(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

json::value parsed(std::string const& text) {
  json::error_code bad;
  auto out = json::parse(text, bad);
  CAPTURE(text);
  REQUIRE_FALSE(bad);
  return out;
}

bool holds_secret(svc_result const& r, std::string const& secret) {
  return (r.out + r.err).find(secret) != std::string::npos;
}

}  // namespace

TEST_CASE("a token's life: created, listed, renamed, disabled, enabled, revoked; its name does as well as its id") {
  auto& spot = token_location::shared();
  auto const made = spot.run({"token", "create", "life", "--expires-in", "90d", "--json"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  auto const token = parsed(made.out).at("token");
  auto const secret = std::string(token.at("key").as_string());
  auto const id = std::string(token.at("id").as_string());
  CHECK(svc::read_token(secret).has_value());
  CHECK(spot.whoami_code(secret) == 0);
  CHECK(spot.run({"token", "list"}).out.find("life") != std::string::npos);
  CHECK(spot.run({"token", "get", "life", "--template", "{id}"}).out == id + "\n");
  CHECK(spot.run({"token", "rename", "life", "life 2", "--template", "{name}"}).out == "life 2\n");
  CHECK(spot.run({"token", "disable", id, "--template", "{enabled}"}).out == "false\n");
  CHECK(spot.whoami_code(secret) == 2);
  CHECK(spot.run({"token", "enable", "life 2", "--template", "{enabled}"}).out == "true\n");
  CHECK(spot.whoami_code(secret) == 0);
  CHECK(spot.run({"token", "revoke", "life 2"}).code == 0);
  CHECK(spot.whoami_code(secret) == 2);
  auto const gone = spot.run({"token", "get", "life 2"});
  CHECK(gone.code == 1);
}

TEST_CASE("a new secret is printed once, in the form that was asked for, or the command ends before it is made") {
  auto& spot = token_location::shared();
  auto const table = spot.run({"token", "create", "printed"});
  CHECK(table.out.find("svc_live_") != std::string::npos);
  CHECK(table.err.find("not shown again") != std::string::npos);
  auto const alone = spot.run({"token", "create", "alone", "--secret-only"});
  CHECK(svc::read_token(alone.out.substr(0, alone.out.size() - 1)).has_value());
  struct row {
    char const* name;
    std::vector<std::string> more;
    char const* says;
  };
  row const rows[] = {
      {"ids only would lose it", {"--quiet"}, "would be lost"},
      {"two forms", {"--secret-only", "--json"}, "cannot be combined with another form of output"},
      {"two places", {"--write-to", "f", "--exec", "cat"}, "--exec"},
      {"no directory", {"--write-to", "/nowhere/at/all"}, "/nowhere/at"},
      {"no file", {"--write-to", "/dev/null"}, "not a regular file"},
      {"no duration", {"--expires-in", "soon"}, "not a duration"},
  };
  for (auto const& r : rows) {
    CAPTURE(r.name);
    std::vector<std::string> arguments{"token", "create", "never"};
    arguments.insert(arguments.end(), r.more.begin(), r.more.end());
    auto const result = spot.run(arguments);
    CHECK(result.code == 3);
    CAPTURE(result.err);
    CHECK(result.err.find(r.says) != std::string::npos);
  }
  CHECK(spot.run({"token", "get", "never"}).code == 1);
}

TEST_CASE("a file that gets a secret has mode 0600, nothing but the secret in it, and is replaced as a whole") {
  auto& spot = token_location::shared();
  auto const file = spot.path("stored");
  std::ofstream(file)
      << "something longer than any token, which must not be left behind in any part of the file ......";
  auto const made = spot.run({"token", "create", "in a file", "--write-to", file, "--json"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  auto const secret = content_of(file);
  CHECK(svc::read_token(secret).has_value());
  CHECK_FALSE(holds_secret(made, secret));
  struct stat about{};
  REQUIRE(::stat(file.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777U) == 0600);
  CHECK(spot.whoami_code(secret) == 0);
}

TEST_CASE("a link of the user's own is followed to its file, one of another user is refused") {
  auto& spot = token_location::shared();
  auto const file = spot.directory.write("target", "old");
  std::filesystem::create_symlink("target", spot.path("link"));
  CHECK(spot.run({"token", "create", "by link", "--write-to", spot.path("link")}).code == 0);
  CHECK(svc::read_token(content_of(file)).has_value());
  CHECK(std::filesystem::is_symlink(spot.path("link")));
  std::filesystem::create_symlink(file, spot.path("foreign"));
  if (::lchown(spot.path("foreign").c_str(), 65534, 65534) != 0) {
    MESSAGE("not root: a link of another user was not tried");
    return;
  }
  auto const refused = spot.run({"token", "create", "by foreign link", "--write-to", spot.path("foreign")});
  CHECK(refused.code == 3);
  CHECK(refused.err.find("symbolic link of another user") != std::string::npos);
}

TEST_CASE("a command gets the secret only on stdin: not in its arguments, not in its environment") {
  auto& spot = token_location::shared();
  auto const out = spot.path("seen");
  // Output of the command itself must not become the client's data.
  auto const command =
      "cat > " + out + "; echo stored; tr '\\0' '\\n' < /proc/$$/cmdline > " + out + ".argv; env > " + out + ".env";
  auto const made = spot.run({"token", "create", "by command", "--exec", command, "--quiet"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  auto const secret = content_of(out);
  CHECK(svc::read_token(secret).has_value());
  CHECK(content_of(out + ".argv").find(secret) == std::string::npos);
  CHECK(content_of(out + ".env").find(secret) == std::string::npos);
  CHECK(made.out.find("stored") == std::string::npos);
  CHECK(made.err.find("stored") != std::string::npos);
  CHECK_FALSE(holds_secret(made, secret));
}

TEST_CASE("a new token whose secret cannot be stored is revoked again") {
  auto& spot = token_location::shared();
  auto const out = spot.path("lost");
  auto const made = spot.run({"token", "create", "unstored", "--exec", "cat > " + out + "; exit 7"});
  CHECK(made.code == 1);
  CHECK(made.err.find("ended with 7") != std::string::npos);
  CHECK(made.err.find("was revoked") != std::string::npos);
  CHECK(spot.whoami_code(content_of(out)) == 2);
  CHECK(spot.run({"token", "get", "unstored"}).code == 1);
}

TEST_CASE("a store that lasts longer than --timeout is ended, and the new token is revoked") {
  auto& spot = token_location::shared();
  auto const out = spot.path("slow");
  auto const made =
      spot.run({"token", "create", "slow", "--timeout", "5", "--exec", "cat > " + out + "; exec sleep 60"});
  CAPTURE(made.err);
  CHECK(made.code == 5);
  CHECK(made.err.find("ended by signal 15") != std::string::npos);
  CHECK(spot.run({"token", "get", "slow"}).code == 1);
  CHECK(made.elapsed < std::chrono::seconds(30));
}

TEST_CASE("rotation with a store: the new secret is stored, used, and so ends the old one") {
  auto& spot = token_location::shared();
  auto const old = spot.new_token("rotated");
  auto const file = spot.path("rotated");
  auto const result = spot.run({"token", "rotate", "self", "--write-to", file}, {"SERVICE_TOKEN=" + old});
  // The old secret has ended, so nothing says how long it works.
  CHECK(result.out.find("\"previous\":{") == std::string::npos);
  INFO(result.err);
  REQUIRE(result.code == 0);
  auto const fresh = content_of(file);
  CHECK(fresh != old);
  CHECK_FALSE(holds_secret(result, fresh));
  CHECK(spot.whoami_code(old) == 2);
  CHECK(spot.whoami_code(fresh) == 0);
}

TEST_CASE("rotation whose store fails: the old secret works on, the next rotation ends the lost one") {
  auto& spot = token_location::shared();
  auto const old = spot.new_token("kept");
  auto const out = spot.path("kept");
  auto const result =
      spot.run({"token", "rotate", "self", "--exec", "cat > " + out + "; exit 9", "--grace", "1h", "--json"},
               {"SERVICE_TOKEN=" + old});
  CHECK(result.code == 1);
  auto const error = parsed(result.err);
  CHECK(error.at("code") == "not_stored");
  CHECK(std::string(error.at("error").as_string()).find("The old secret works until 20") != std::string::npos);
  CHECK(spot.whoami_code(old) == 0);
  auto const again =
      spot.run({"token", "rotate", "self", "--write-to", spot.path("kept 2")}, {"SERVICE_TOKEN=" + old});
  CHECK(again.code == 0);
  CHECK(spot.whoami_code(content_of(out)) == 2);
  CHECK(spot.whoami_code(content_of(spot.path("kept 2"))) == 0);
}

TEST_CASE("rotation without a store: the secret is printed, the old one keeps its grace, unless that is 0") {
  auto& spot = token_location::shared();
  auto const old = spot.new_token("printed once");
  auto const printed = spot.run({"token", "rotate", "self", "--secret-only"}, {"SERVICE_TOKEN=" + old});
  REQUIRE(printed.code == 0);
  auto const fresh = printed.out.substr(0, printed.out.size() - 1);
  CHECK(printed.err.find("The old secret works until") != std::string::npos);
  CHECK(spot.whoami_code(fresh) == 0);
  CHECK(spot.whoami_code(old) == 0);
  auto const at_once = spot.run({"token", "rotate", "self", "--grace", "0"}, {"SERVICE_TOKEN=" + fresh});
  CHECK(at_once.code == 0);
  CHECK(spot.whoami_code(fresh) == 2);
  CHECK(spot.run({"token", "rotate", "self", "--grace", "0", "--exec", "cat"}, {}).code == 3);
}

TEST_CASE("rotation whose answer is lost is not repeated, and explains the possible outcome and the next step") {
  scripted_server const server([](received const& r) {
    if (r.line().starts_with("POST")) return scripted_answer{.close = true};
    return whole_answer(200, R"({"id":"01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70","kind":"cli","name":"ci",)"
                             R"("project":{"id":"a","slug":"shop"},"organization":{"id":"b","slug":"acme"},)"
                             R"("user":{"id":"c","name":"Ada"},"role":"project_admin",)"
                             R"("limits":{"limit":1000,"windowSeconds":60}})");
  });
  auto const result = run_svc({.arguments = {"token", "rotate", "self", "--exec", "cat"},
                               .environment = {"SERVICE_URL=" + server.url(),
                                               "SERVICE_TOKEN=svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O"}});
  CHECK(result.code == 4);
  CAPTURE(result.err);
  CHECK(result.err.find("the old one works until its grace period ends") != std::string::npos);
  CHECK(result.err.find("Rotate again") != std::string::npos);
  auto const requests = server.requests();
  CHECK(std::ranges::count_if(requests, [](auto const& r) { return r.line().starts_with("POST"); }) == 1);
}

TEST_CASE("the token of svc login is rotated and revoked in its file, too") {
  auto& spot = token_location::shared();
  auto const old = spot.new_token("login");
  temporary_directory const home;
  auto const address = spot.service.text("url");
  std::vector<std::string> const environment{"SERVICE_CACERT=" + spot.service.text("caFile"),
                                             "SERVICE_URL=" + address};
  auto const run = [&](std::vector<std::string> arguments, std::string const& input = {}) {
    return run_svc(
        {.arguments = std::move(arguments), .environment = environment, .input = input, .home = home.path()});
  };
  auto const login = run({"login", "--token", "-"}, old + "\n");
  INFO(login.err);
  REQUIRE(login.code == 0);
  auto const rotated = run({"token", "rotate", "self"});
  INFO(rotated.err);
  REQUIRE(rotated.code == 0);
  CHECK(rotated.out.find("Secret") == std::string::npos);
  CHECK(spot.whoami_code(old) == 2);
  CHECK(run({"whoami"}).code == 0);
  // Without a terminal nobody can be asked, and a script must not lock itself out by mistake.
  for (auto const* const verb : {"revoke", "disable"}) {
    auto const refused = run({"token", verb, "self"});
    CHECK(refused.code == 3);
    CHECK_MESSAGE(refused.err.find("is the one that svc uses now") != std::string::npos, refused.err);
    CHECK(refused.err.find("Add --yes") != std::string::npos);
  }
  CHECK(run({"whoami"}).code == 0);
  auto const revoked = run({"token", "revoke", "login", "--yes"});
  CHECK(revoked.code == 0);
  CHECK(revoked.err.find("Log in with another one: svc login") != std::string::npos);
  CHECK(content_of(home.path() + "/.config/svc/credentials.json").find("svc_live_") == std::string::npos);
}

TEST_CASE("version --check agrees with the service of the same source") {
  auto const result = token_location::shared().run({"version", "--check"});
  INFO(result.err);
  CHECK(result.code == 0);
}

TEST_CASE("a trigger key's life: created with limits, changed, used, rotated, revoked") {
  auto& spot = token_location::shared();
  auto const job = spot.service.text("jobId");
  auto const made = spot.run({"job", "keys", "create", job, "ci", "--rate-limit", "20/1m", "--allow-from",
                              "127.0.0.0/8", "--allow-from", "::1/128", "--expires-in", "30d", "--json"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  auto const key = parsed(made.out).at("triggerKey");
  CHECK(key.at("rateLimit") == json::value{{"limit", 20}, {"windowSeconds", 60}});
  CHECK(key.at("allowedCidrs").as_array().size() == 2);
  CHECK(key.at("expiresAt").is_string());
  CHECK(spot.run({"job", "keys", "list", job, "--template", "{name}"}).out.find("ci\n") != std::string::npos);
  auto const changed = spot.run({"job", "keys", "update", job, "ci", "--rate-limit", "default", "--allow-from", "any",
                                 "--name", "cd", "--json"});
  INFO(changed.err);
  auto const now = parsed(changed.out).at("triggerKey");
  CHECK(now.at("rateLimit").is_null());
  CHECK(now.at("allowedCidrs").is_null());
  CHECK(spot.run({"job", "keys", "disable", job, "cd", "--template", "{enabled}"}).out == "false\n");
  CHECK(spot.run({"job", "keys", "enable", job, "cd", "--template", "{enabled}"}).out == "true\n");
  auto const rotated = spot.run({"job", "keys", "rotate", job, "cd", "--write-to", spot.path("key")});
  INFO(rotated.err);
  CHECK(rotated.code == 0);
  CHECK(svc::read_token(content_of(spot.path("key"))).has_value());
  CHECK(spot.run({"job", "keys", "revoke", job, "cd"}).code == 0);
  CHECK(spot.run({"job", "keys", "disable", job, "cd"}).code == 1);
  CHECK(spot.run({"job", "keys", "update", job, "cd"}).code == 3);
  CHECK(spot.run({"job", "keys", "update", job, "cd", "--rate-limit", "many"}).code == 3);
  CHECK(spot.run({"job", "keys", "update", job, "cd", "--allow-from", "everywhere"}).code == 3);
}
