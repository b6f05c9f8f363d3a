// Every list on terminals of usual widths, and in a pipe.
#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_user.hpp"

#include <doctest/doctest.h>

#include <boost/json/serialize.hpp>

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
    user.out({"window", "create", "weekly work on the shop's database", "--tag", "shop", "--cron", "0 3 * * sun",
              "--zone", "Europe/Berlin", "--for", "90m"});
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
    {{"window", "list"}, "Name", "weekly work"},
    {{"token", "list"}, "Name", "Name"},
    {{"job", "keys", "list", "nightly checks of the shop"}, "Name", "github"},
    {{"audit"}, "When", "job.created"},
};

}  // namespace

TEST_CASE("every list fits a terminal, starts with the name, and names omitted columns") {
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

TEST_CASE("a second object of one name is refused unless its user permits it") {
  auto const& p = the_lists();
  auto const& user = p.user;
  auto const config = p.directory.write("config.json", R"({"to":["a@example.org"]})");
  std::vector<std::vector<std::string>> const creations{
      {"test", "create", "twice", "--type", "command"},
      {"job", "create", "twice", "--type", "command"},
      {"provider", "create", "twice", "--type", "email", "--config", config},
      {"monitor", "create", "twice", "--type", "ping_host", "--target", "example.org", "--disable"}};
  for (auto creation : creations) {
    CAPTURE(creation[0]);
    auto const first = user.id(creation);
    auto const second = user.run(creation);
    CHECK(second.code == 1);
    CHECK_MESSAGE(has_text(second.err, "'twice' exists already: " + first + "."), second.err);
    CHECK(has_text(second.err, "svc " + creation[0] + " update twice changes it."));
    creation.emplace_back("--allow-duplicate");
    auto const permitted = user.id(creation);
    CHECK(permitted.size() == 36);
    CHECK(has_text(user.run({creation[0], "get", "twice"}).err, "Several "));
    // Only ids tell the two apart, so a narrow table keeps them.
    auto const shown = user.at_terminal({creation[0], "list", "--color", "never"}, {.columns = 60});
    CHECK_MESSAGE(has_text(shown.out, permitted), shown.out);
    user.out({creation[0], "delete", first, permitted});
  }
}

TEST_CASE("a job without tests and a schedule that never occurs are created with a warning") {
  auto const& user = the_lists().user;
  auto const made = user.run({"job", "create", "bare", "--cron", "0 3 31 2 *"});
  CHECK(made.code == 0);
  CHECK_MESSAGE(has_text(made.err, "warning: 'bare' is a playwright job without tests"), made.err);
  CHECK(has_text(made.err, "warning: the schedule '0 3 31 2 *' never occurs"));
  CHECK_FALSE(has_text(user.run({"job", "update", "bare", "--cron", "0 3 29 2 *"}).err, "warning"));
  user.out({"job", "delete", "bare"});
}

TEST_CASE("heartbeats, port checks and lookups of names are created only by options") {
  auto const& user = the_lists().user;
  auto const config_of = [&](std::string const& name) {
    return boost::json::serialize(user.json({"monitor", "get", name}).at("config"));
  };
  user.out({"monitor", "create", "beat", "--type", "heartbeat", "--every", "1m", "--grace", "2m"});
  CHECK(has_text(config_of("beat"), R"("everySeconds":60)"));
  CHECK(has_text(config_of("beat"), R"("graceSeconds":120)"));
  CHECK(has_text(user.out({"monitor", "get", "beat"}), "Reports due\tevery 1m\nGrace (s)\t120\n"));
  user.out({"monitor", "update", "beat", "--cron", "@daily", "--time-zone", "Europe/Berlin"});
  CHECK(has_text(config_of("beat"), R"("cron":"0 0 * * *")"));
  CHECK(has_text(user.out({"monitor", "get", "beat"}), "Reports due\t0 0 * * * in Europe/Berlin\n"));
  user.out({"monitor", "update", "beat", "--every", "5m"});
  CHECK(has_text(user.out({"monitor", "get", "beat"}), "Reports due\tevery 5m\n"));
  user.out({"monitor", "create", "door", "--type", "port_check", "--target", "mail.example.org", "--port", "25",
            "--disable"});
  CHECK(has_text(config_of("door"), R"("port":25)"));
  user.out(
      {"monitor", "create", "names", "--type", "dns", "--target", "example.org", "--record-type", "MX", "--disable"});
  CHECK(has_text(config_of("names"), R"("recordType":"MX")"));
  struct {
    std::vector<std::string> more;
    char const* said;
  } const cases[] = {
      {{"--type", "heartbeat"}, "svc: --every or --cron is required.\n     A heartbeat needs --every or --cron,"},
      {{"--type", "heartbeat", "--every", "10s"}, "svc: --every must be from 30s to 30d, not 10s.\n"},
      {{"--type", "heartbeat", "--every", "1m", "--cron", "@daily"},
       "--every and another schedule exclude each other."},
      {{"--type", "heartbeat", "--every", "1m", "--target", "x"}, "svc: --target must be left out here.\n"},
      {{"--type", "port_check", "--target", "example.org"},
       "svc: --port is required.\n     A port_check needs --port.\n"},
      {{"--type", "dns", "--target", "example.org"}, "svc: --record-type is required.\n"},
      {{"--type", "website", "--target", "https://example.org/", "--port", "25"},
       "svc: --port is not for this type.\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.more);
    std::vector<std::string> command{"monitor", "create", "wrong"};
    command.insert(command.end(), c.more.begin(), c.more.end());
    auto const got = user.run(command);
    CHECK(got.code != 0);
    CHECK_MESSAGE(has_text(got.err, c.said), got.err);
  }
  CHECK(has_text(user.run({"monitor", "check", "beat"}).err, "svc: A heartbeat reports by itself"));
  CHECK(has_text(user.run({"monitor", "rotate-key", "door"}).err, "svc: Only a heartbeat has a key"));
  user.out({"monitor", "delete", "beat", "door", "names"});
  // A deleted monitor keeps its name.
  CHECK(has_text(user.out({"monitor", "list", "--deleted"}), "beat"));
  user.out({"monitor", "restore", "beat"});
  CHECK(has_text(user.run({"monitor", "restore", "nobody"}).err, "There is no deleted monitor 'nobody'."));
  user.out({"monitor", "delete", "beat"});
}

TEST_CASE("mistakes in values are reported with the option, the field or the position in the file") {
  auto const& p = the_lists();
  auto const port = p.directory.write("port.json", R"({"port": 25})");
  auto const file = p.directory.write("bad.json", "{\n  \"a\": 1,\n  b: 2\n}");
  auto const typo = p.directory.write("typo.json", "{\n  \"title\": \"x\",\n  \"typ\": \"command\"\n}");
  auto const twice = p.directory.write("twice.json", R"({"keywordInBody":"x","keywordInBody":"y"})");
  auto const list = p.directory.write("list.json", "[1]");
  auto const topic = p.directory.write("topic.json", R"({"topik": "acme"})");
  std::string const unknown = "01934f2e-5555-7d3e-9b1f-5a2c8e4d6f70";
  struct {
    std::vector<std::string> command;
    int code;
    std::string said;
  } const cases[] = {
      {{"monitor", "create", "front", "--type", "website", "--target", "https://example.org/", "--every", "1s"},
       1,
       "svc: --every must be from 10s to 1d, not 1s.\n     The minimum interval is 30s, unless"},
      {{"monitor", "create", "front", "--type", "website", "--target", "https://example.org/", "--every", "10s"},
       1,
       "svc: --every must be at least 30s, the minimum that the operator sets with checks.min_interval, not 10s.\n"},
      {{"monitor", "create", "front", "--type", "ping_host", "--target", "https://example.org"},
       1,
       "svc: --target 'https://example.org': the host is not a valid address.\n"},
      {{"test", "create", "--file", typo}, 1, "svc: " + typo + ", line 3: typ is not allowed here;"},
      {{"test", "create", "--file", typo}, 1, " Did you mean type?"},
      {{"provider", "create", "p", "--type", "ntfy", "--config", topic},
       1,
       "--config (" + topic + "): topik is not allowed here;"},
      {{"provider", "create", "p", "--type", "ntfy", "--config", list},
       1,
       "svc: --config (" + list + "): must be an object."},
      {{"run", "list", "--from", "soon"}, 3, "svc: --from: 'soon' is not a time.\n     Write how long ago, -2h"},
      {{"job", "keys", "create", "nightly checks of the shop", "k", "--rate-limit", "20"},
       3,
       "svc: --rate-limit: '20' is not a limit.\n"},
      {{"job", "keys", "create", "nightly checks of the shop", "k", "--allow-from", "300.1.1.1"},
       3,
       "svc: --allow-from: '300.1.1.1' is not a range of addresses.\n"},
      {{"test", "create", "t", "--script", "."}, 3, "svc: --script: . is a directory.\n"},
      {{"audit", "--action", "job.creatd"}, 0, "has the action 'job.creatd'. Did you mean job.created?\n"},
      {{"var", "list", "--template", "{name}"}, 3, "does not have; did you mean {key}?"},
      {{"tag", "create", "x", "--color", "red"}, 3, "The color of a tag is --hex '#1f883d'."},
      {{"job", "get", unknown}, 1, "svc: There is no job " + unknown + " in the token's project.\n"},
      {{"api", "GET", "/api/job"}, 1, "svc: The service has no path /api/job. Did you mean /api/jobs?\n"},
      {{"job", "get", "job_abcdefghi"}, 1, "svc: There is no job 'job_abcdefghi'.\n"},
      {{"alert", "list", "--type", "job_recovere"}, 3, "not 'job_recovere'. Did you mean job_recovered?\n"},
      {{"job", "keys", "revoke", "nightly checks of the shop", "nope"},
       1,
       "svc job keys list 'nightly checks of the shop' shows them.\n"},
      {{"job", "update", "nightly checks of the shop", "--clear", "cronn"}, 3, "Did you mean cron?"},
      {{"job", "delete", "nightly checks of the shop", "nobody"}, 1, "svc: There is no job 'nobody'.\n"},
      {{"job", "create", "j", "--cron", "@daly"},
       3,
       "svc: --cron does not know the schedule '@daly'. Did you mean @daily?\n"},
      {{"job", "create", "j", "--cron", "61 3 * * *"},
       3,
       "svc: --cron: the minute must be from 0 to 59, not '61'.\n"},
      {{"job", "update", "nightly checks of the shop", "--run-timeout", "0"},
       1,
       "svc: --run-timeout must be from 1s to 1d, not 0s.\n"},
      {{"test", "create", std::string(256, 'a'), "--type", "command"}, 1, "svc: NAME must "},
      {{"tag", "create", std::string(300, 'a')}, 1, "svc: NAME must "},
      {{"tag", "update", "shop", "--name", std::string(300, 'a')}, 1, "svc: --name must "},
      {{"var", "set", "BASE=x"},
       3,
       "svc: NAME must not contain =.\n     The value is an option: svc var set BASE --value"},
      {{"var", "set", "small letters", "--value", "1"}, 1, "svc: NAME must "},
      {{"alert", "list", "--target", "shop"}, 1, "svc: --target must be a UUID, not 'shop'.\n"},
      {{"audit", "--actor", "ada"}, 1, "svc: --actor: nobody named 'ada' made one of the newest 1000 changes.\n"},
      {{"run", "get", "nightly"}, 3, "svc: 'nightly' is not the id of a run.\n     svc run list shows ids.\n"},
      {{"run", "watch", "nightly"}, 3, "svc: 'nightly' is not the id of a run.\n"},
      {{"run", "stream", "nightly"}, 3, "svc: 'nightly' is not the id of a run.\n"},
      {{"alert", "retry", "x"}, 3, "svc: 'x' is not the id of an alert.\n"},
      {{"outage", "ack", "the shop's front page", "x"}, 3, "svc: 'x' is not the id of an outage.\n"},
      {{"monitor", "test", "--type", "port_check", "--target", "", "--config", port}, 1, "svc: --target must "},
      {{"job", "create", "j", "--test", "smoke test of the shop's checkout"},
       1,
       "svc: --test 'smoke test of the shop's checkout' is a command test, which does not run in a playwright job."},
      {{"job", "create", "j", "--test", "smoke test of the shop's checkout"}, 1, "Add --type command, so that"},
      {{"job", "list", "--template", "{nme}"}, 3, "does not have; did you mean {name}?"},
      {{"job", "get", "nightly checks of the shop", "--template", "{jobtype}"}, 3, "did you mean {jobType}?"},
      {{"token", "create", "t", "--expires-in", "5s"}, 1, "svc: --expires-in must be from 1m to 3650d, not 5s.\n"},
      {{"job", "update", "nightly checks of the shop", "--file", file}, 3, "is not JSON: line 3, column 3: "},
      {{"monitor", "update", "the shop's front page", "--config", twice},
       3,
       "has the name \"keywordInBody\" twice in one object: line 1, column 22."},
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

TEST_CASE("the pages of a job, a test and a port check have the facts that a reader looks for") {
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
  CHECK(p.user.out({"test", "get", "smoke test of the shop's checkout", "--script-only"}) == "echo ok");
  CHECK_FALSE(has_text(p.user.out({"test", "create", "said once", "--type", "command", "--script", "-"}, "echo no"),
                       "echo no"));

  // A fresh monitor's page has its alerts in words, and a terminal's quotas have units.
  p.user.out({"monitor", "update", "the shop's front page", "--alert", "on call"});
  auto const page = p.user.out({"monitor", "get", "the shop's front page"});
  CHECK_MESSAGE(has_text(page, "Alerts\tto on call; on failure, recovery, failed checks\n"), page);
  auto const usage = p.user.at_terminal({"usage", "--color", "never"});
  CHECK_MESSAGE(has_text(usage.out, "Size of all scripts"), usage.out);
  CHECK(has_text(usage.out, "256.0 MiB"));
  CHECK(has_text(p.user.out({"usage"}), "scriptBytes\t"));
  CHECK(has_text(p.user.out({"audit", "--actor", "me"}), "job.created"));

  auto const port = p.directory.write("port.json", R"({"port": 25})");
  p.user.out({"monitor", "create", "mail", "--type", "port_check", "--target", "mail.example.org", "--config", port,
              "--disable"});
  CHECK(has_text(p.user.out({"monitor", "list"}), "\tmail.example.org:25\t"));
  CHECK(has_text(p.user.out({"monitor", "get", "mail"}), "Target\tmail.example.org:25\n"));
  CHECK(p.user.json({"monitor", "get", "mail"}).at("target").as_string() == "mail.example.org");
}

TEST_CASE("a name that several resources have is refused with their differences") {
  auto const& user = the_lists().user;
  auto const text = user.id({"test", "create", "same", "--type", "command", "--script", "-"}, "echo 1");
  auto const two = user.id({"test", "create", "same", "--type", "browser", "--allow-duplicate"});
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
