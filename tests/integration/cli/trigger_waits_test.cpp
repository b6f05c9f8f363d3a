// Tests how `svc job trigger` waits for its run: what it prints meanwhile, and what ends the waiting.
#include "integration/cli/shell_jobs.hpp"
#include "integration/cli/svc_user.hpp"
#include "support/free_port.hpp"

#include <csignal>
#include <functional>
#include <optional>

namespace svc::test {
namespace {

using std::chrono::seconds;

shell_jobs& waits_stage() {
  static shell_jobs shared;
  return shared;
}

/// Waits until stderr reports the run's state; other output is in the test's message. A polling client may first see
/// the run when it is running.
void expect_state(svc_process const& process, bool running) {
  auto const says = [&](std::string const& l) {
    return has_text(l, "is running.") || (!running && has_text(l, "is queued."));
  };
  auto const line = process.err().wait_line(says, seconds(30));
  REQUIRE_MESSAGE(line, process.err().text() << process.out().text());
}

TEST_CASE("waiting ends with the run, as it ended") {
  auto& t = waits_stage();
  struct {
    char const* name;
    std::vector<shell_jobs::script> scripts;
    std::vector<std::string> flags;
    int code;
    char const* status;
    std::vector<std::string> said;
  } const cases[] = {
      {"passed", {{"good", "echo fine"}}, {"--wait"}, 0, "passed", {"passed after", "its test passed."}},
      {"failed",
       {{"good", "echo fine"}, {"bad", "echo first; echo the reason >&2; exit 3"}},
       {"--wait"},
       1,
       "failed",
       {"1 of 2 tests did not pass.", "good", "bad: ", "    | the reason", "svc run output "}},
      {"followed",
       {{"good", "echo fine"}, {"bad", "echo first; exit 3"}},
       {"--follow"},
       1,
       "failed",
       {"\nfine\n", "\nfirst\n", "    | first", "test 2 of 2: bad"}},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    std::vector<std::string> words{"job", "trigger", t.job(c.scripts)};
    words.insert(words.end(), c.flags.begin(), c.flags.end());
    auto const got = run_svc(t.with(words));
    CAPTURE(got.err);
    CHECK(got.code == c.code);
    auto const run = printed_run(got);
    CHECK(run.at("status") == c.status);
    CHECK(run == t.run(shell_jobs::text(run, "id")));
    for (auto const& part : c.said) CHECK_MESSAGE(has_text(got.err, part), part);
  }
  auto const quiet = run_svc(t.with({"job", "trigger", t.job({{"q", "exit 1"}}), "--wait", "--quiet"}));
  CHECK(quiet.code == 1);
  CHECK(t.status(quiet.out.substr(0, 36)) == "failed");
  CHECK(quiet.err == "");
}

TEST_CASE("on a terminal a line of progress is written over, and the summary is the last word") {
  auto& t = waits_stage();
  auto invocation =
      t.with({"job", "trigger", t.job({{"one", "printf '\\033[32mgreen\\n'"}, {"two", "sleep 1"}}), "--follow"});
  invocation.terminal.emplace(terminal_size{.columns = 60});
  auto const got = run_svc(invocation);
  CHECK(got.code == 0);
  for (auto const* const part :
       {"\rrunning ", "  test 2 of 2: two\x1b[K", "\x1b[32mgreen\x1b[0m\r\n", "; all 2 tests passed."})
    CHECK_MESSAGE(has_text(got.out, part), got.out);
  CHECK_FALSE(has_text(got.out, " is running."));
  // The summary is for people; JSON would only push it out of sight.
  CHECK_FALSE(has_text(got.out, "\"id\""));
}

TEST_CASE("events that end the waiting and not the run") {
  auto& t = waits_stage();
  auto const job = t.job({{"long", "echo begun; sleep 60"}});
  std::string token_id;
  auto const token = t.new_token("waiter", &token_id);
  struct {
    char const* name;
    std::vector<std::string> flags;
    std::function<void(svc_process const&)> then;
    int code;
    std::vector<std::string> said;
    char const* code_name;
    bool cancelled;
  } const cases[] = {
      {"the deadline of a stream",
       {"--follow", "--timeout", "5"},
       [](auto const&) {},
       5,
       {"goes on."},
       "deadline",
       false},
      {"Ctrl-C",
       {"--wait"},
       [](svc_process const& p) { p.signal(SIGINT); },
       130,
       {"goes on.", "svc run cancel "},
       "interrupted",
       false},
      {"Ctrl-C that ends the run",
       {"--follow", "--cancel-on-interrupt"},
       [](svc_process const& p) { p.signal(SIGINT); },
       130,
       {" was cancelled.", "svc run watch "},
       "interrupted",
       true},
      {"the token is revoked",
       {"--follow"},
       [&](svc_process const&) { CHECK(t.api.del("/api/cli-tokens/" + token_id).status / 100 == 2); },
       2,
       {"goes on.", "svc run watch "},
       "token_revoked",
       false},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    std::vector<std::string> words{"job", "trigger", job};
    words.insert(words.end(), c.flags.begin(), c.flags.end());
    svc_process waiting(t.with(words, {"SERVICE_TOKEN=" + token}));
    expect_state(waiting, c.flags.front() == "--follow");
    c.then(waiting);
    auto const got = waiting.wait();
    CAPTURE(got.err);
    CHECK(got.code == c.code);
    auto const run = shell_jobs::text(printed_run(got), "id");
    for (auto const& part : c.said) CHECK_MESSAGE(has_text(got.err, part), part);
    CHECK(has_text(got.err, "un " + run));
    if (!c.cancelled) {
      CHECK(t.run(run).at("completedAt").is_null());
      t.api.post("/api/runs/" + run + "/cancel");
    }
    CHECK(t.ends(run));
    CHECK(t.status(run) == "cancelled");
  }
}

TEST_CASE("the deadline does not end the run, and says so as JSON too") {
  auto& t = waits_stage();
  auto const job = t.job({{"slow", "sleep 60"}});
  auto const got = run_svc(t.with({"job", "trigger", job, "--wait", "--timeout", "3", "--json"}));
  CHECK(got.code == 5);
  auto const run = shell_jobs::text(printed_run(got), "id");
  auto const last = got.err.substr(got.err.rfind('\n', got.err.size() - 2) + 1);
  auto const said = boost::json::parse(last).as_object();
  CHECK(shell_jobs::text(said, "runId") == run);
  CHECK(said.at("exitCode") == 5);
  CHECK(said.at("code") == "deadline");
  CHECK(has_text(shell_jobs::text(said, "error"), "Run " + run + " goes on."));
  CHECK(has_text(shell_jobs::text(said, "hint"), "svc run watch " + run));
  CHECK(t.api.post("/api/runs/" + run + "/cancel").status == 202);
}

/// An instance next to dev that speaks plain HTTP at its own port.
std::string listener_at(int port) {
  return "[[listeners]]\naddress = \"127.0.0.1:" + std::to_string(port) + "\"\ntls = false\n";
}

TEST_CASE("a service that is gone while a run is followed: the loss is said, and no state that is not known") {
  auto& t = waits_stage();
  auto const port = free_port();
  auto const url = "SERVICE_URL=http://127.0.0.1:" + std::to_string(port);
  auto const job = t.job({{"lost", "sleep 60"}});
  std::optional<configured_service> instance(std::in_place, t.dev, listener_at(port));
  svc_process timed(t.with({"job", "trigger", job, "--follow", "--timeout", "15"}, {url}));
  svc_process patient(t.with({"job", "trigger", job, "--follow"}, {url}));
  expect_state(timed, true);
  expect_state(patient, true);
  instance->process().kill();
  auto const says = [](std::string_view part) {
    return [part](std::string const& line) { return has_text(line, part); };
  };
  constexpr std::string_view last = "The run was running when the service last answered.";
  auto const lost = patient.err().wait_line(says("The service has not answered for"), seconds(30));
  REQUIRE_MESSAGE(lost, patient.err().text());
  CHECK(has_text(*lost, "Trying again."));
  CHECK(has_text(*lost, last));

  auto const late = timed.wait();
  CAPTURE(late.err);
  CHECK(late.code == 5);
  CHECK(has_text(late.err, last));
  CHECK_FALSE(has_text(late.err, "goes on."));
  auto const run = printed_run(late);
  CHECK(run.at("status") == "running");
  CHECK(has_text(late.err, "The state of run " + shell_jobs::text(run, "id") + " is unknown, it was running when"));

  // The client continues as soon as an instance is there again.
  instance.reset();
  instance.emplace(t.dev, listener_at(port));
  CHECK(patient.err().wait_line(says("The service answers again after"), seconds(60)));
  patient.signal(SIGINT);
  auto const ended = patient.wait();
  CHECK(has_text(ended.err, "goes on."));
  for (auto const& each : {run, printed_run(ended)})
    t.api.post("/api/runs/" + shell_jobs::text(each, "id") + "/cancel");
}

}  // namespace
}  // namespace svc::test
