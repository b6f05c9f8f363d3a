// The commands of runs, with a runner that executes them.
#include "integration/cli/svc_user.hpp"
#include "support/https_client.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include <filesystem>
#include <sstream>

namespace svc::test {
namespace {

constexpr auto nobody = "01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70";

struct with_runs {
  temporary_directory directory;
  dev_service dev{directory.path(), {with_runner}};
  svc_user user{dev};
  support::api_client api{dev.text("url"), dev.text("caFile"), dev.text("token"), std::chrono::seconds(60)};

  /// The status in which the run ends.
  std::string end_of(std::string const& run) {
    auto const got = api.get("/api/runs/" + run + "?wait=55");
    return std::string(boost::json::parse(got.body).at("status").as_string());
  }
  /// A test of that script.
  std::string test(std::string const& title, std::string const& script) const {
    return user.id({"test", "create", title, "--type", "command", "--script", "-"}, script);
  }
};

with_runs& the_runs() {
  static with_runs fixture;
  return fixture;
}

}  // namespace

TEST_CASE("a test is executed by its title, its run shown, repeated and deleted") {
  auto& fixture = the_runs();
  fixture.test("passes", "echo fine");
  auto const run = fixture.user.id({"test", "execute", "passes"});
  CHECK(fixture.end_of(run) == "passed");
  CHECK(has_text(fixture.user.out({"run", "get", run}), "Status\tpassed\n"));
  CHECK(fixture.user.json({"run", "status", run}).at("status").as_string() == "passed");
  CHECK(fixture.user.out({"run", "status", run, "--template", "{status}"}) == "passed\n");

  auto const again = fixture.user.id({"run", "rerun", run});
  CHECK(again != run);
  CHECK(fixture.end_of(again) == "passed");
  CHECK(has_text(fixture.user.out({"run", "list", "--status", "passed"}), again + "\t"));
  CHECK_FALSE(has_text(fixture.user.out({"run", "list", "--status", "failed"}), again));
  CHECK(has_text(fixture.user.out({"run", "list", "--from", "-1h"}), run));
  CHECK(fixture.user.out({"run", "list", "--to", "-1h", "-q"}).empty());

  auto const over = fixture.user.run({"run", "cancel", run, "--json"});
  CHECK(over.code == 1);
  CHECK(boost::json::parse(over.err).at("code").as_string() == "run_already_over");
  CHECK(fixture.user.run({"run", "delete", run, again}).code == 0);
  CHECK(fixture.user.run({"run", "get", run}).code == 1);
}

TEST_CASE("the type of a new test is taken from its script's name, named, or said") {
  auto& fixture = the_runs();
  auto const script = fixture.directory.write("hello.sh", "echo hello\n");
  auto const derived = fixture.user.run({"test", "create", "by name", "--script", script});
  CHECK(derived.code == 0);
  CHECK_MESSAGE(has_text(derived.err, "'by name' is a command test, because its script is "), derived.err);
  CHECK(fixture.user.json({"test", "get", "by name"}).at("type").as_string() == "command");
  auto const refused = fixture.user.run({"test", "create", "unclear", "--script", "-"}, "echo hello");
  CHECK(refused.code == 3);
  CHECK_MESSAGE(has_text(refused.err, "--type is needed"), refused.err);
  CHECK(fixture.user.out({"test", "list", "--search", "unclear", "-q"}).empty());
  CHECK_FALSE(has_text(fixture.user.run({"test", "create", "named", "--type", "command", "--script", script}).err,
                       "because"));
}

TEST_CASE("a run that no runner takes says which runner it needs") {
  auto& fixture = the_runs();
  auto const made = fixture.user.run({"test", "create", "page"});
  CHECK_MESSAGE(has_text(made.err, "'page' is a browser test, because no --type was given; svc test update page "),
                made.err);
  auto const shown = fixture.user.run({"test", "execute", "page"});
  CHECK(has_text(shown.out, "Type\tplaywright\n"));
  CHECK_MESSAGE(has_text(shown.err, "waits for a runner of playwright jobs; svc run watch "), shown.err);
  auto const followed = fixture.user.run({"test", "execute", "page", "--follow", "--timeout", "14"});
  CHECK(followed.code == 5);
  CHECK_MESSAGE(has_text(followed.err, "(playwright) is queued."), followed.err);
  CHECK_MESSAGE(has_text(followed.err, "no runner for playwright jobs has taken it."), followed.err);
  CHECK(fixture.user.shell("svc run list --status queued -q | xargs -n 1 svc run cancel").code == 0);
}

TEST_CASE("an executed test and a repeated run can be waited for, with a report") {
  auto& fixture = the_runs();
  fixture.test("breaks", "echo the reason; exit 3");
  auto const report = fixture.directory.path() + "/executed.xml";
  auto const executed = fixture.user.run({"test", "execute", "breaks", "--follow", "--junit", report});
  CHECK(executed.code == 1);
  CHECK_MESSAGE(has_text(executed.err, "\nthe reason\n"), executed.err);
  CHECK(std::filesystem::exists(report));
  auto const run = boost::json::parse(executed.out).at("id").as_string();
  auto const again = fixture.user.run({"run", "rerun", std::string(run), "--wait"});
  CHECK(again.code == 1);
  CHECK(boost::json::parse(again.out).at("status").as_string() == "failed");
  CHECK(fixture.user.run({"run", "rerun", std::string(run), "--junit", report}).code == 3);
}

TEST_CASE("a running run is cancelled, and found by its job's name") {
  auto& fixture = the_runs();
  fixture.test("sleeps", "echo begun; sleep 600");
  auto const job = fixture.user.id({"job", "create", "long one", "--type", "command", "--test", "sleeps"});
  auto const made = fixture.api.post("/api/jobs/" + job + "/trigger");
  auto const run = std::string(boost::json::parse(made.body).at("data").at("runId").as_string());
  CHECK(fixture.user.out({"run", "list", "--job", "long one", "-q"}) == run + "\n");
  CHECK(fixture.user.run({"run", "output", run}).code == 1);  // not over
  CHECK(fixture.user.run({"run", "delete", run}).code == 1);
  CHECK(fixture.user.shell("until svc run get " + run + " | grep -q 'running'; do sleep 0.1; done").code == 0);
  CHECK(has_text(fixture.user.out({"run", "get", run}), "Tests\tsleeps: running\n"));
  auto const cancelled = fixture.user.run({"run", "cancel", run});
  CHECK(has_text(cancelled.out, "ID\t" + run + "\n"));
  CHECK_MESSAGE(has_text(cancelled.err, "The runner was asked to end the run; svc run watch " + run), cancelled.err);
  CHECK(fixture.end_of(run) == "cancelled");
  CHECK(fixture.user.run({"run", "get", nobody}).code == 1);
}

TEST_CASE("the page of a running run calls none of several tests queued") {
  auto& fixture = the_runs();
  fixture.test("first of two", "echo fine");
  fixture.test("second of two", "echo begun; sleep 600");
  auto const job = fixture.user.id(
      {"job", "create", "two", "--type", "command", "--test", "first of two", "--test", "second of two"});
  auto const made = fixture.api.post("/api/jobs/" + job + "/trigger");
  auto const run = std::string(boost::json::parse(made.body).at("data").at("runId").as_string());
  CHECK(fixture.user.shell("until svc run get " + run + " | grep -q running; do sleep 0.1; done").code == 0);
  auto const page = fixture.user.out({"run", "get", run});
  CHECK_MESSAGE(has_text(page, "Tests\tfirst of two: unknown, second of two: unknown\n"), page);
  CHECK(fixture.user.json({"run", "get", run}).at("tests").at(0).at("status").as_string() == "queued");
  CHECK(fixture.user.run({"run", "cancel", run}).code == 0);
  CHECK(fixture.end_of(run) == "cancelled");
}

TEST_CASE("output is harmless, in the colours of its script on a terminal, and as it was with --raw") {
  auto& fixture = the_runs();
  fixture.test("paints", R"(printf '\033[31mred\033[0m \033]0;title\007 \302\233K\n'; echo error >&2)");
  auto const run = fixture.user.id({"test", "execute", "paints"});
  REQUIRE(fixture.end_of(run) == "passed");

  CHECK(has_text(fixture.user.out({"run", "output", run}), "\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07 \\x9bK\n"));
  CHECK(has_text(fixture.user.out({"run", "output", run}), "error\n"));
  auto const seen = fixture.user.at_terminal({"run", "output", run}).out;
  CHECK(has_text(seen, "\x1b[31mred\x1b[0m \\x1b]0;title\\x07 \\x9bK\r\n"));
  CHECK(has_text(fixture.user.at_terminal({"run", "output", run, "--color", "never"}).out, "\\x1b[31mred"));
  CHECK(
      has_text(fixture.user.out({"run", "output", run, "--raw"}), "\x1b[31mred\x1b[0m \x1b]0;title\x07 \xc2\x9bK\n"));
  CHECK(has_text(fixture.user.out({"run", "output", run, "--template", "{stream}:{line}"}), "stderr:error\n"));

  std::istringstream lines(fixture.user.out({"run", "output", run, "--json"}));
  int of_stderr = 0;
  for (std::string line; std::getline(lines, line);)
    of_stderr += boost::json::parse(line).at("stream") == "stderr" ? 1 : 0;
  CHECK(of_stderr == 1);
}

}  // namespace svc::test
