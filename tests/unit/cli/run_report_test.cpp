#include "cli/events/run_report.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace svc::cli;
using ms = std::chrono::milliseconds;

namespace {

run_news printed(std::string text, bool error_stream = false) {
  return {.content = run_news::kind::line, .text = std::move(text), .error_stream = error_stream};
}
run_news running() {
  return {.content = run_news::kind::status, .text = "running"};
}

std::vector<std::string> lines_of(test_output const& output, std::size_t test) {
  return {output.last_lines(test).begin(), output.last_lines(test).end()};
}
using words = std::vector<std::string>;

}  // namespace

TEST_CASE("which test a runner's line announces") {
  struct {
    std::string_view line;
    std::size_t count;
    std::optional<std::size_t> expected;
  } const cases[] = {{"[svc-runner: test 2 of 3: login]", 3, 1},
                     {"[svc-runner: test 3 of 3: a of b: c]", 3, 2},
                     {"[svc-runner: test 0 of 3: a]", 3, {}},
                     {"[svc-runner: test 4 of 3: a]", 3, {}},
                     {"[svc-runner: test 2 of 3: a]", 4, {}},
                     {"[svc-runner: test x of 3: a]", 3, {}},
                     {"[svc-runner: test 2", 3, {}},
                     {"[svc-runner: cancelled]", 3, {}},
                     {" [svc-runner: test 2 of 3: a]", 3, {}},
                     {"", 3, {}}};
  for (auto const& c : cases) {
    CAPTURE(c.line);
    CHECK(announced_test(c.line, c.count) == c.expected);
  }
}

TEST_CASE("the last lines of each test") {
  test_output output(1);
  output.take(running());
  for (int i = 1; i <= 25; ++i) output.take(printed("line " + std::to_string(i)));
  CHECK(output.last_lines(0).size() == test_output::lines_kept);
  CHECK(output.last_lines(0).front() == "line 6");
  CHECK(output.current() == 0);

  test_output three(3);
  CHECK_FALSE(three.current());
  for (auto const& news : {running(), printed("before"), printed("[svc-runner: test 1 of 3: a]", true), printed("a1"),
                           // Not what a runner says: on stdout, and of a test that was before.
                           printed("[svc-runner: test 3 of 3: c]"), printed("[svc-runner: test 1 of 3: a]", true),
                           // Its result is no output of its own.
                           printed("[svc-runner: test 1 of 3 failed after 12 ms]", true),
                           printed("[svc-runner: test 2 of 3: b]", true), printed("b1", true)})
    three.take(news);
  CHECK(three.current() == 1);
  CHECK(lines_of(three, 0) == words{"a1", "[svc-runner: test 3 of 3: c]", "[svc-runner: test 1 of 3: a]"});
  CHECK(lines_of(three, 1) == words{"b1"});
  CHECK(lines_of(three, 2) == words{});
  three.take(running());
  CHECK_FALSE(three.current());
  CHECK(lines_of(three, 1) == words{});

  test_output long_lines(1);
  long_lines.take(printed(std::string(499, 'x') + "ü" + std::string(10'000, 'y')));
  CHECK(long_lines.last_lines(0).back() == std::string(499, 'x') + "ü…");
  test_output none(0);
  none.take(printed("a"));
  CHECK(none.count() == 0);
}

TEST_CASE("a summary names the tests that did not pass, with their last lines") {
  auto const run = boost::json::parse(R"({"id": "r-1", "jobName": "nightly", "status": "failed", "durationMs": 12345,
    "errorDetails": null, "tests": [
      {"id": "1", "title": "login", "status": "passed", "durationMs": 1200},
      {"id": "2", "title": "a\u001b[2Jb|c", "status": "failed", "durationMs": 3400, "errorDetails": "exit code 1"},
      {"id": "3", "title": "late", "status": "skipped"}]})");
  test_output outputs(3);
  for (auto const& news : {printed("[svc-runner: test 1 of 3: x]", true), printed("fine"),
                           printed("[svc-runner: test 2 of 3: x]", true), printed("\x1b[31mred\x1b[0m \x1b[2J<b>")})
    outputs.take(news);
  auto const result = run_result::of(run.as_object(), &outputs);
  CHECK(summary_text(result, false) ==
        "Run r-1 failed after 12.3s; 2 of 3 tests did not pass.\n"
        "  passed      1.2s  login\n"
        "  failed      3.4s  a\\x1b[2Jb|c: exit code 1\n"
        "    | red \\x1b[2J<b>\n"
        "  skipped        -  late\n"
        "Its whole output: svc run output r-1\n");
  auto const coloured = summary_text(result, true);
  CHECK(coloured.find("    | \x1b[31mred\x1b[0m \\x1b[2J<b>\x1b[0m\n") != std::string::npos);
  CHECK(coloured.find("\x1b[32mpassed\x1b[0m") != std::string::npos);
  CHECK(summary_markdown(result) ==
        "### nightly: failed\n\nRun r-1 failed after 12.3s; 2 of 3 tests did not pass.\n\n"
        "| test | result | time |\n|---|---|---|\n"
        "| login | passed | 1.2s |\n"
        "| a&#92;x1b&#91;2Jb&#124;c | failed | 3.4s |\n"
        "| late | skipped | - |\n"
        "\n**a&#92;x1b&#91;2Jb&#124;c** exit code 1\n\n<pre>red \\x1b[2J&lt;b>\n</pre>\n\n");
}

TEST_CASE("summaries of other ends") {
  struct {
    char const* run;
    std::string expected;
  } const cases[] = {
      {R"({"id": "r", "status": "passed", "durationMs": 900, "tests": [{"title": "a", "status": "passed", "durationMs": 5}]})",
       "Run r passed after 900ms; its test passed.\n  passed      5ms  a\n"},
      {R"({"id": "r", "status": "cancelled", "tests": [{"title": "a", "status": "cancelled"}]})",
       "Run r cancelled; 0 of 1 test had passed.\n  cancelled        -  a\nIts whole output: svc run output "
       "r\n"},
      {R"({"id": "r", "status": "running", "tests": [{"title": "a", "status": "running"}]})",
       "Run r running; 1 of 1 test has no result yet.\n  running        -  a\nIts whole output: svc run output "
       "r\n"},
      {R"({"id": "r", "status": "running", "tests": [{"title": "a", "status": "passed"}, {"title": "b", "status": "failed"},
        {"title": "c", "status": "running"}, {"title": "d", "status": "queued"}]})",
       "Run r running; 2 of 4 tests have no result yet, 1 did not pass.\n"
       "  passed         -  a\n  failed         -  b\n  running        -  c\n  queued         -  d\n"
       "Its whole output: svc run output r\n"},
      {R"({"id": "r", "status": "error", "errorDetails": "no runner\u0007", "tests": []})",
       "Run r error.\n  no runner\\x07\nIts whole output: svc run output r\n"},
      {R"({})", "Run  .\nIts whole output: svc run output \n"},
      {R"({"id": 1, "tests": [1, {}], "durationMs": "x"})",
       "Run  ; 1 of 1 test did not pass.\n          -  \nIts whole output: svc run output \n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.run);
    CHECK(summary_text(run_result::of(boost::json::parse(c.run).as_object(), nullptr), false) == c.expected);
  }
}

TEST_CASE("progress: a line on a terminal, elsewhere changes and one line each minute") {
  run_progress progress("r-1", {"login", "check\nout"});
  CHECK(progress.line(ms(100), {}) == "asking 100ms");
  CHECK_FALSE(progress.reminder(ms(90'000)));
  CHECK(progress.change("queued") == "Run r-1 is queued.");
  CHECK_FALSE(progress.change("queued"));
  CHECK(progress.change("running") == "Run r-1 is running.");
  CHECK(progress.line(ms(1'200), {}) == "running 1.2s");
  CHECK(progress.line(ms(61'000), 1) == "running 1m 01s  test 2 of 2: check\\nout");
  CHECK(progress.line(ms(61'000), 2) == "running 1m 01s");
  CHECK_FALSE(progress.reminder(ms(59'999)));
  CHECK(progress.reminder(ms(60'000)) == "Run r-1 is still running after 1m 00s.");
  CHECK_FALSE(progress.reminder(ms(119'000)));
  CHECK(progress.reminder(ms(121'000)) == "Run r-1 is still running after 2m 01s.");
  CHECK_FALSE(progress.change("passed"));
  CHECK(progress.status() == "passed");
}

TEST_CASE("a run that stays queued is said to need a runner of its type, once") {
  run_progress progress("r-1", {"login"}, "playwright", "the shop");
  CHECK(progress.change("queued") == "Run r-1 (playwright) is queued.");
  CHECK(progress.line(ms(1'200), {}) == "queued for a playwright runner 1.2s");
  CHECK_FALSE(progress.queue_advice(ms(0)));
  CHECK_FALSE(progress.queue_advice(ms(9'999)));
  auto const advice = progress.queue_advice(ms(10'000)).value_or("");
  CHECK(advice.starts_with("Run r-1 is still queued after 10.0s: no runner for playwright jobs has taken it."));
  CHECK(advice.find("svcd admin list-runners") != std::string::npos);
  CHECK(advice.find("svc run list --status running --job 'the shop' shows") != std::string::npos);
  CHECK(advice.find("--type command") != std::string::npos);
  CHECK_FALSE(progress.queue_advice(ms(20'000)));

  run_progress command("r-2", {}, "command");
  CHECK_FALSE(command.queue_advice(ms(20'000)));
  // Its runner was lost: the wait starts again.
  command.change("running");
  CHECK_FALSE(command.queue_advice(ms(25'000)));
  command.change("queued");
  CHECK_FALSE(command.queue_advice(ms(30'000)));
  auto const later = command.queue_advice(ms(40'000)).value_or("");
  CHECK(later.starts_with("Run r-2 is still queued after 10.0s: no runner for command jobs"));
  CHECK(later.find("--type") == std::string::npos);
  CHECK(later.find("limit") == std::string::npos);
  run_progress running_one("r-3", {}, "command");
  running_one.change("running");
  CHECK_FALSE(running_one.queue_advice(ms(20'000)));
}

TEST_CASE("tests of a run that has not ended have the results that its output has reported") {
  auto const results = [](std::string const& status) {
    auto run = boost::json::parse(R"({"status": ")" + status + R"(", "tests": [{"status": "queued"},
      {"status": "queued"}, {"status": "queued"}, 1]})")
                   .as_object();
    test_output outputs(4);
    for (auto const& news :
         {running(), printed("[svc-runner: test 1 of 4: a]", true),
          printed("[svc-runner: test 1 of 4 passed after 950 ms]", true),
          printed("[svc-runner: test 2 of 4: b]", true), printed("[svc-runner: test 2 of 4 failed]", true),
          printed("[svc-runner: test 3 of 4: c]", true)})
      outputs.take(news);
    add_reported_results(run, outputs);
    return boost::json::serialize(run.at("tests"));
  };
  CHECK(results("running") == R"([{"status":"passed","durationMs":950},{"status":"failed"},{"status":"running"},1])");
  CHECK(results("queued") == R"([{"status":"queued"},{"status":"queued"},{"status":"queued"},1])");
  CHECK(results("failed") == R"([{"status":"queued"},{"status":"queued"},{"status":"queued"},1])");

  test_output again(2);
  for (auto const& news : {running(), printed("[svc-runner: test 1 of 2: a]", true),
                           printed("[svc-runner: test 1 of 2 passed after 1 ms]", true), running()})
    again.take(news);
  CHECK_FALSE(again.result(0));
  CHECK_FALSE(again.result(2));
}

TEST_CASE("another attempt of a run is said once, where its output begins") {
  attempt_notice whole;
  CHECK(whole.before("0-0").empty());
  CHECK(whole.before("1-1").empty());
  CHECK(whole.before("1-2").empty());
  CHECK(whole.before("2-0") == "[svc: attempt 1 ended without a result; the run starts over with attempt 2]\n");
  CHECK(whole.before("2-1").empty());
  CHECK(whole.before("x").empty());
  attempt_notice rest(event_position{.attempt = 2, .number = 7});
  CHECK(rest.before("2-8").empty());
  CHECK_FALSE(rest.before("4-1").empty());
}
