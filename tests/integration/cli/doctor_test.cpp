#include "integration/cli/user_desk.hpp"
#include "svc/domain/token.hpp"

#include <sys/stat.h>

#include <doctest/doctest.h>

using namespace svc::test;

namespace {

std::string fresh_token() {
  return std::string(svc::mint_token(svc::token_kind::cli).key.reveal());
}

/// `name=status` of each check, separated by spaces.
std::string statuses_of(svc_result const& got) {
  std::string out;
  auto const parsed = boost::json::parse(got.out);
  for (auto const& each : parsed.at("checks").as_array())
    out += (out.empty() ? "" : " ") + std::string(each.at("name").as_string()) + "=" +
           std::string(each.at("status").as_string());
  return out;
}

/// Runs a shell script in a directory; its exit code. `svc` is in the PATH.
svc_result shell(std::string const& script, std::string const& directory) {
  auto const bin = client_binary();
  return svc_process({.arguments = {"-c", script},
                      .environment = {"PATH=" + bin.substr(0, bin.rfind('/')) + ":/usr/local/bin:/usr/bin:/bin",
                                      "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=a@example.org",
                                      "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=a@example.org"},
                      .directory = directory},
                     "/bin/sh")
      .wait();
}

}  // namespace

TEST_CASE("doctor says of each thing whether it is well") {
  auto& service = service_of_this_file();
  auto const token = service.text("token");
  auto const ending = new_token(service, "ending", 86400);
  auto const key = service.text("triggerKey");
  struct {
    std::vector<std::string> environment;
    int code;
    char const* statuses;
  } const rows[] = {
      {{"SERVICE_TOKEN=" + token, "SERVICE_TRIGGER_KEY=" + key, "SERVICE_ORG=demo"},
       0,
       "settings=ok credentials=ok trigger key=ok address=ok proxy=ok connection=ok service=ok clock=ok token=ok "
       "expiry=ok project=ok"},
      {{},
       0,
       "settings=ok credentials=ok trigger key=ok address=ok proxy=ok connection=ok service=ok clock=ok "
       "token=warning"},
      {{"SERVICE_TOKEN=" + ending},
       0,
       "settings=ok credentials=ok trigger key=ok address=ok proxy=ok connection=ok service=ok clock=ok token=ok "
       "expiry=warning project=ok"},
      {{"SERVICE_TOKEN=" + token, "SERVICE_PROJECT=web"},
       3,
       "settings=ok credentials=ok trigger key=ok address=ok proxy=ok connection=ok service=ok clock=ok token=ok "
       "expiry=ok project=failed"},
      {{"SERVICE_TOKEN=" + fresh_token()},
       2,
       "settings=ok credentials=ok trigger key=ok address=ok proxy=ok connection=ok service=ok clock=ok "
       "token=failed"},
      {{"SERVICE_TOKEN=" + key},
       3,
       "settings=failed credentials=skipped trigger key=skipped address=skipped proxy=skipped connection=skipped "
       "service=skipped clock=skipped token=skipped"},
      {{"SERVICE_URL=http://ci.example.com"},
       3,
       "settings=ok credentials=ok trigger key=ok address=failed proxy=skipped connection=skipped service=skipped "
       "clock=skipped token=skipped"},
      {{"SERVICE_URL=https://127.0.0.1:1"},
       4,
       "settings=ok credentials=ok trigger key=ok address=ok proxy=ok connection=failed service=skipped "
       "clock=skipped token=skipped"},
      {{"SERVICE_CACERT="},
       4,
       "settings=ok credentials=ok trigger key=ok address=ok proxy=ok connection=failed service=skipped "
       "clock=skipped token=skipped"},
  };
  user_desk const desk;
  for (auto const& row : rows) {
    auto const got = desk.run({"doctor", "--json", "--timeout", "20"}, row.environment);
    CHECK(got.code == row.code);
    CHECK(statuses_of(got) == row.statuses);
    for (auto const& secret : {token, ending, key}) CHECK(got.out.find(secret.substr(14)) == std::string::npos);
  }
  auto const shown = desk.run({"doctor"});
  CHECK(shown.out.find("warning  token        There is none") != std::string::npos);
  CHECK(shown.out.find("-> svc login") != std::string::npos);
  CHECK(desk.run({"doctor", "--quiet"}).out == "token\n");
}

TEST_CASE("doctor sees credentials that others could have read") {
  user_desk const desk;
  CHECK(desk.run({"login", "--token", "-"}, {}, service_of_this_file().text("token")).code == 0);
  CHECK(desk.run({"doctor"}).code == 0);
  std::filesystem::permissions(desk.config() + "/credentials.json", std::filesystem::perms(0604));
  auto const got = desk.run({"doctor"});
  CHECK(got.code == 3);
  CHECK(got.out.find("failed   credentials") != std::string::npos);
  CHECK(got.out.find("revoke") != std::string::npos);
}

TEST_CASE("a tree is searched for tokens") {
  user_desk const desk;
  auto const token = fresh_token();
  auto const shown = token.substr(0, 13) + "...";
  auto const scan = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"doctor", "--scan"});
    return desk.run(arguments, {"SERVICE_URL="}, "", desk.home());
  };
  desk.write("tree/README.md", "Set SERVICE_TOKEN=svc_live_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.\n");
  desk.write("tree/.git/config", token);
  desk.write("tree/program", std::string("\x7f"
                                         "ELF\0",
                                         5) +
                                 token);
  desk.write("outside/secret", token);
  std::filesystem::create_symlink("../outside", desk.home() + "/tree/link");
  std::filesystem::create_symlink("../outside/secret", desk.home() + "/tree/file");
  ::mkfifo((desk.home() + "/tree/fifo").c_str(), 0600);
  auto const clean = scan({"tree"});
  CHECK(clean.code == 0);
  CHECK(clean.out.empty());

  desk.write("tree/b/notes", "first\n  token: " + token + "\n");
  // Across the borders of pieces, whatever their size is.
  std::string large(11'000'000, 'x');
  for (std::size_t position = 65'000; position + 100 < large.size(); position += 65'521)
    large.replace(position, token.size() + 2, "\n" + token + "\n");
  desk.write("tree/large", large);
  auto const found = scan({"tree"});
  CHECK(found.code == 1);
  CHECK(found.out.starts_with("tree/b/notes:2:10: " + shown + "\ntree/large:2:1: " + shown + "\n"));
  CHECK(std::count(found.out.begin(), found.out.end(), '\n') == 1 + 167);
  CHECK(found.err.find("Revoke") != std::string::npos);
  CHECK((found.out + found.err).find(token.substr(14)) == std::string::npos);

  // A link that is named is followed; several paths, and programs.
  auto const as_json = scan({"tree/file", "tree/README.md", "--json"});
  CHECK(as_json.code == 1);
  CHECK(boost::json::parse(as_json.out) ==
        boost::json::parse("{\"found\":[{\"file\":\"tree/file\",\"line\":1,\"column\":1,\"token\":\"" + shown +
                           "\"}]}"));
  CHECK(scan({"nowhere"}).code == 3);
}

TEST_CASE("the hook of doctor's help keeps a token out of a commit") {
  temporary_directory const directory;
  auto const help = shell("svc doctor --help", directory.path()).out;
  std::string hook;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);)
    if (line.find(".git/hooks/pre-commit") != std::string::npos) hook += line + "\n";
  REQUIRE(std::count(hook.begin(), hook.end(), '\n') == 3);
  auto const made = shell("set -e; git init -q; " + hook +
                              "echo fine > a; git add a; git commit -qm first; git config diff.noprefix true; "
                              "git config diff.interHunkContext 9; git config color.ui always",
                          directory.path());
  CHECK_MESSAGE(made.code == 0, made.err);

  auto const token = fresh_token();
  directory.write("ümlaut \"x\"", "one\ntwo\nkey = " + token + "\n");
  auto const refused = shell("git add . && git commit -qm second", directory.path());
  CHECK(refused.code == 1);
  auto const said = refused.out + refused.err;
  CHECK_MESSAGE(said.find("ümlaut \"x\":3:7: " + token.substr(0, 13) + "...") != std::string::npos, said);
  CHECK(said.find(token) == std::string::npos);
  // Only what is staged counts, and of that only what it adds.
  auto const passes = shell(
      "set -e; git commit -qnm with; echo more >> 'ümlaut \"x\"'; git add .; cp 'ümlaut \"x\"' new; git commit -qm "
      "third",
      directory.path());
  CHECK_MESSAGE(passes.code == 0, passes.err);
  auto const outside = shell("mkdir elsewhere; cd elsewhere; GIT_DIR=/nowhere svc doctor --staged", directory.path());
  CHECK(outside.code == 3);
  CHECK_MESSAGE(outside.err.find("svc: git diff --cached failed: ") == 0, outside.err);
  CHECK(std::count(outside.err.begin(), outside.err.end(), '\n') == 2);
}
