// Every list on terminals of usual widths, and in a pipe.
#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_user.hpp"

#include <doctest/doctest.h>

#include <sstream>

namespace svc::test {
namespace {

/// A project with one of each thing that can be listed and has a long name.
struct listed_project {
  listed_project() {
    user.out({"test", "create", "smoke test of the shop's checkout", "--type", "command", "--script", "-"},
             "echo ok");
    user.out({"job", "create", "nightly checks of the shop", "--type", "command", "--test",
              "smoke test of the shop's checkout", "--cron", "@daily"});
    user.out({"job", "trigger", "nightly checks of the shop"});
    user.out({"job", "keys", "create", "nightly checks of the shop", "github"});
    user.out({"tag", "create", "shop"});
    user.out({"var", "set", "STANDING"}, "value");
    auto const config = directory.write("config.json", R"({"to":["a@example.org"]})");
    user.out({"provider", "create", "on call", "--type", "email", "--config", config});
    user.out({"monitor", "create", "the shop's front page", "--type", "website", "--target",
              "https://shop.example.org/a/long/path/that/nobody/types", "--every", "30s", "--disable"});
  }

  temporary_directory directory;
  dev_service dev{directory.path()};
  svc_user user{dev};
};

listed_project& the_lists() {
  static listed_project project;
  return project;
}

std::vector<std::string> table_lines(std::string const& text) {
  std::vector<std::string> out;
  std::istringstream words(text);
  for (std::string line; std::getline(words, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    out.push_back(line);
  }
  return out;
}

/// Characters, which are one column wide here.
std::size_t columns_taken(std::string const& line) {
  std::size_t out = 0;
  for (char const c : line) out += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return out;
}

struct listed {
  std::vector<std::string> command;
  char const* first;  ///< title
  char const* whole;  ///< must be readable at 100 columns
};

std::vector<listed> const lists{
    {{"job", "list"}, "Name", "nightly checks of the shop"},
    {{"run", "list"}, "Job", "nightly checks of the shop"},
    {{"test", "list"}, "Title", "smoke test of the shop's"},
    {{"tag", "list"}, "Name", "shop"},
    {{"var", "list"}, "Name", "STANDING"},
    {{"provider", "list"}, "Name", "on call"},
    {{"monitor", "list"}, "Name", "https://shop.example.org/a/lo"},
    {{"token", "list"}, "Name", "Name"},
    {{"job", "keys", "list", "nightly checks of the shop"}, "Name", "github"},
    {{"audit"}, "When", "job.created"},
};

}  // namespace

TEST_CASE("every list fits a terminal, begins with the name, and says what it left out") {
  auto const& user = the_lists().user;
  for (auto const& each : lists)
    for (int const width : {80, 100, 160}) {
      CAPTURE(each.command);
      CAPTURE(width);
      auto command = each.command;
      command.insert(command.end(), {"--color", "never"});
      auto const shown = user.at_terminal(command, {.columns = width});
      CHECK(shown.code == 0);
      auto const lines = table_lines(shown.out);
      REQUIRE(lines.size() > 1);
      CHECK(lines.front().starts_with(each.first));
      for (auto const& line : lines)
        if (!line.starts_with("Not shown"))
          CHECK_MESSAGE(columns_taken(line) <= static_cast<std::size_t>(width), line);
      CHECK_MESSAGE(has_text(shown.out, each.whole), shown.out);
      bool const lacks = has_text(shown.out, "…") || has_text(shown.out, "Not shown");
      CHECK(has_text(shown.out, "--wide shows everything.") >= has_text(shown.out, "Not shown"));
      command.emplace_back("--wide");
      auto const wide = user.at_terminal(command, {.columns = width});
      CHECK_FALSE(has_text(wide.out, "…"));
      CHECK_FALSE(has_text(wide.out, "Not shown"));
      if (lacks) CHECK(wide.out.size() > lines.front().size());
    }
}

TEST_CASE("in a pipe and with --quiet ids are whole, and titles name units") {
  auto const& user = the_lists().user;
  auto const id = user.out({"monitor", "list", "--quiet"});
  CHECK(id.size() == 37);
  auto const piped = user.out({"monitor", "list"});
  CHECK(piped.starts_with("ID\tName\t"));
  CHECK(has_text(piped, "\tTook (ms)\t"));
  CHECK(has_text(piped, id.substr(0, 36) + "\t"));
  CHECK(has_text(user.at_terminal({"monitor", "list", "--wide"}).out, id.substr(0, 36)));
  CHECK(has_text(user.out({"monitor", "get", "the shop's front page"}), "\nEvery (s)\t30\n"));
  CHECK(has_text(user.at_terminal({"monitor", "get", "the shop's front page"}).out, "  30s\r\n"));
}

TEST_CASE("a test with the title of another one is created with a warning") {
  auto const& user = the_lists().user;
  auto const first = user.id({"test", "create", "twice", "--type", "command", "--script", "-"}, "echo 1");
  auto const second = user.run({"test", "create", "twice", "--type", "command", "--script", "-"}, "echo 2");
  CHECK(second.code == 0);
  CHECK(has_text(second.err, "warning: Another test has the title 'twice' already: " + first + "."));
  CHECK_FALSE(
      has_text(user.run({"test", "create", "only once", "--type", "command", "--script", "-"}, "x").err, "warning"));
}

TEST_CASE("mistakes in values are told with the option, the field or the place in the file") {
  auto const& p = the_lists();
  auto const port = p.directory.write("port.json", R"({"port": 25})");
  auto const file = p.directory.write("bad.json", "{\n  \"a\": 1,\n  b: 2\n}");
  struct {
    std::vector<std::string> command;
    int code;
    std::string said;
  } const cases[] = {
      {{"monitor", "create", "front", "--type", "website", "--target", "https://example.org/", "--every", "1s"},
       1,
       "svc: --every must be from 10s to 1d, not 1s.\n"},
      {{"job", "create", "j", "--cron", "61 3 * * *"},
       3,
       "svc: --cron: the minute must be from 0 to 59, not '61'.\n"},
      {{"job", "update", "nightly checks of the shop", "--run-timeout", "0"},
       1,
       "svc: --run-timeout must be from 1s to 1d, not 0s.\n"},
      {{"test", "create", std::string(256, 'a'), "--type", "command"}, 1, "svc: NAME must "},
      {{"tag", "create", std::string(300, 'a')}, 1, "svc: NAME must "},
      {{"tag", "update", "shop", "--name", std::string(300, 'a')}, 1, "svc: --name must "},
      {{"var", "set", "small letters", "--value", "1"}, 1, "svc: NAME must "},
      {{"alert", "list", "--target", "shop"}, 1, "svc: --target must be a UUID, not 'shop'.\n"},
      {{"audit", "--actor", "ada"}, 1, "svc: --actor must be a UUID, not 'ada'.\n"},
      {{"run", "get", "nightly"}, 3, "svc: 'nightly' is not the id of a run.\n     svc run list shows ids.\n"},
      {{"run", "watch", "nightly"}, 3, "svc: 'nightly' is not the id of a run.\n"},
      {{"run", "stream", "nightly"}, 3, "svc: 'nightly' is not the id of a run.\n"},
      {{"alert", "retry", "x"}, 3, "svc: 'x' is not the id of an alert.\n"},
      {{"outage", "ack", "the shop's front page", "x"}, 3, "svc: 'x' is not the id of an outage.\n"},
      {{"monitor", "restore", "shop"}, 3, "svc: 'shop' is not the id of a monitor.\n"},
      {{"monitor", "test", "--type", "port_check", "--target", "", "--config", port}, 1, "svc: --target must "},
      {{"job", "create", "j", "--test", "smoke test of the shop's checkout"},
       1,
       "svc: --test is a command test, which does not run in a playwright job."},
      {{"job", "create", "j", "--test", "smoke test of the shop's checkout"}, 1, "Add --type command, so that"},
      {{"job", "list", "--template", "{nme}"}, 3, "does not have; did you mean {name}?"},
      {{"job", "get", "nightly checks of the shop", "--template", "{jobtype}"}, 3, "did you mean {jobType}?"},
      {{"token", "create", "t", "--expires-in", "5s"}, 1, "svc: --expires-in must be from 1m to 3650d, not 5s.\n"},
      {{"job", "update", "nightly checks of the shop", "--file", file}, 3, "is not JSON: line 3, column 3: "},
      {{"monitor", "update", "the shop's front page", "--config", file},
       3,
       "svc: --config: " + file + " is not JSON: line 3, column 3: "},
  };
  for (auto const& c : cases) {
    CAPTURE(c.command);
    auto const got = p.user.run(c.command);
    CHECK(got.code == c.code);
    CHECK_MESSAGE(has_text(got.err, c.said), got.err);
  }
}

TEST_CASE("a page of a job, a test and a port check has what a reader looks for") {
  auto const& p = the_lists();
  auto const alerts = p.directory.write(
      "alerts.json", R"({"enabled": true, "notificationProviders": ["on call"], "alertOnRecovery": true})");
  p.user.out({"job", "update", "nightly checks of the shop", "--alerts", alerts, "--run-timeout", "5m"});
  auto const job = p.user.out({"job", "get", "nightly checks of the shop"});
  CHECK_MESSAGE(has_text(job, "Tests\tsmoke test of the shop's checkout\n"), job);
  CHECK_MESSAGE(has_text(job, "Alerts\tto on call; on failure, timeout, recovery\n"), job);
  CHECK_MESSAGE(has_text(job, "Run timeout (s)\t300\n"), job);
  CHECK(p.user.json({"job", "get", "nightly checks of the shop"}).at("tests").at(0).as_object().size() == 1);

  auto const unknown = p.directory.write("unknown.json", R"({"notificationProviders": ["nobody"]})");
  auto const refused = p.user.run({"job", "update", "nightly checks of the shop", "--alerts", unknown});
  CHECK(refused.code == 1);
  CHECK(has_text(refused.err, "There is no provider 'nobody'."));

  auto const test = p.user.at_terminal({"test", "get", "smoke test of the shop's checkout"}, {.columns = 100});
  CHECK_FALSE(has_text(test.out, "Script  "));
  CHECK_MESSAGE(has_text(test.out, "--script shows its script"), test.out);
  CHECK(has_text(p.user.out({"test", "get", "smoke test of the shop's checkout", "--script"}), "Script\techo ok"));

  auto const port = p.directory.write("port.json", R"({"port": 25})");
  p.user.out({"monitor", "create", "mail", "--type", "port_check", "--target", "mail.example.org", "--config", port,
              "--disable"});
  CHECK(has_text(p.user.out({"monitor", "list"}), "\tmail.example.org:25\t"));
  CHECK(has_text(p.user.out({"monitor", "get", "mail"}), "Target\tmail.example.org:25\n"));
  CHECK(p.user.json({"monitor", "get", "mail"}).at("target").as_string() == "mail.example.org");
}

TEST_CASE("a name that several have is refused with what tells them apart") {
  auto const& user = the_lists().user;
  auto const text = user.id({"test", "create", "same", "--type", "command", "--script", "-"}, "echo 1");
  auto const two = user.id({"test", "create", "same", "--type", "browser"});
  auto const got = user.run({"test", "get", "same"});
  CHECK(got.code == 3);
  CHECK_MESSAGE(has_text(got.err, "\n       " + text + "  type command, "), got.err);
  CHECK_MESSAGE(has_text(got.err, "\n       " + two + "  type browser, "), got.err);
}

TEST_CASE("alerts have their whole reason on a terminal of 80 columns") {
  std::string const reason =
      "The answer has status 503, and a status from 200 to 299 was expected after three tries.";
  scripted_server const server([&](received const&) {
    return whole_answer(200, R"({"data": [{"id": "01934f2e-bbbb-7d3e-9b1f-5a2c8e4d6f70", "type": "monitor_failure",
      "timestamp": "2026-11-20T10:11:12.345Z", "targetName": "the shop's front page and its checkout",
      "notificationProvider": "on call", "status": "failed", "error": {"reason": "The receiver refused it: HTTP 500."},
      "message": ")" + reason + R"("}], "pagination": {}})");
  });
  auto settings = invocation{
      .arguments = {"alert", "list", "--color", "never"},
      .environment = {"SERVICE_URL=" + server.url(), "SERVICE_TOKEN=svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O"},
      .terminal = terminal_size{.columns = 80}};
  auto const shown = run_svc(settings);
  CAPTURE(shown.out);
  auto const lines = table_lines(shown.out);
  REQUIRE(lines.size() > 4);
  CHECK(lines[0].starts_with("Of"));
  CHECK(lines[1].starts_with("the shop's"));
  CHECK(has_text(lines[1], "01934f2e-bbbb-7d3e-9b1f-5a2c8e4d6f70"));
  CHECK(lines[2] == "    Error: The receiver refused it: HTTP 500.");
  std::string reported;
  for (std::size_t i = 3; i < lines.size() && lines[i].starts_with("    "); ++i)
    reported += (reported.empty() ? "" : " ") + lines[i].substr(4);
  CHECK(reported == "Message: " + reason);
  CHECK_FALSE(has_text(shown.out, "Message, "));
  for (auto const& line : lines) CHECK(columns_taken(line) <= 80);
}

}  // namespace svc::test
