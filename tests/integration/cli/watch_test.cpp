// Tests `svc run watch` and `svc run stream` against the real service: they show every line once, whatever breaks.
#include "integration/cli/shell_jobs.hpp"
#include "integration/cli/stream_cutter.hpp"
#include "support/store_probe.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace svc::test {
namespace {

using std::chrono::seconds;

shell_jobs& watch_stage() {
  static shell_jobs shared({"SVC_OUTPUT_HEARTBEAT=300ms"});
  return shared;
}

bool says(std::string const& all, std::string_view part) {
  return all.find(part) != std::string::npos;
}

/// Prints `line 1` to `line COUNT`, with a pause after each `burst`.
std::string numbered_lines(int count, int burst) {
  auto const n = std::to_string(count);
  return "i=0; while [ $i -lt " + n + " ]; do i=$((i+1)); echo line $i; [ $((i % " + std::to_string(burst) +
         ")) -eq 0 ] && sleep 0.1; done; true";
}

std::string all_lines(int count) {
  std::string out;
  for (int i = 1; i <= count; ++i) out += "line " + std::to_string(i) + "\n";
  return out;
}

/// An instance next to dev that speaks plain HTTP.
std::string const plain_listener = "[[listeners]]\naddress = \"127.0.0.1:0\"\ntls = false\n";

std::string text_of_file_at(std::string const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("1 000 lines over connections that break and an instance that is killed: each once, in order") {
  auto& t = watch_stage();
  configured_service first(t.dev, plain_listener), second(t.dev, plain_listener);
  stream_cutter proxy({first.address(0), second.address(0)}, 2'500);
  auto const run = t.triggered(t.job({{"lines", numbered_lines(1'000, 100)}}));
  auto invocation = t.with({"run", "stream", run}, {"SERVICE_URL=" + proxy.url()});
  svc_process streaming(invocation);
  auto const half = streaming.out().wait_line([](auto const& l) { return l == "line 400"; }, seconds(30));
  REQUIRE_MESSAGE(half, streaming.err().text());
  first.process().kill();
  auto const got = streaming.wait();
  CHECK_MESSAGE(got.code == 0, got.err);
  CHECK(got.out == all_lines(1'000));
  CHECK(proxy.cuts() > 20);

  // The same holds for a stream from its end, and after a given line.
  auto const json = run_svc(t.with({"run", "stream", run, "--json"}));
  CHECK(json.code == 0);
  auto const first_event = boost::json::parse(json.out.substr(0, json.out.find('\n'))).as_object();
  CHECK(first_event == boost::json::object{{"id", "0-0"}, {"event", "status"}, {"status", "queued"}});
  auto const last_line = json.out.rfind('\n', json.out.size() - 2);
  auto const last_event = boost::json::parse(json.out.substr(last_line + 1)).as_object();
  CHECK(last_event.at("event") == "complete");
  CHECK(last_event.at("status") == "passed");
  CHECK(std::count(json.out.begin(), json.out.end(), '\n') == 1'003);
  auto const rest = run_svc(t.with({"run", "stream", run, "--after", "1-998"}));
  CHECK(rest.out == "line 999\nline 1000\n");
}

TEST_CASE("the result of a watched run is the exit code, and stdout has the run on request") {
  auto& t = watch_stage();
  auto const failed = t.triggered(t.job({{"fine", "echo one"}, {"broken", "echo two; echo three >&2; exit 7"}}));
  auto const live = run_svc(t.with({"run", "watch", failed}));
  CHECK(live.code == 1);
  CHECK(live.out == "");
  for (auto const* const part : {"\none\n", "\ntwo\n", "\nthree\n", "    | three\n", "1 of 2 tests did not pass."})
    CHECK_MESSAGE(says(live.err, part), live.err);
  auto const later = run_svc(t.with({"run", "watch", failed, "--json"}));
  CHECK(later.code == 1);
  // The stream of an ended run starts with its queue, which is no news.
  CHECK_FALSE(says(later.err, " is queued."));
  CHECK_FALSE(says(later.err, " is running."));
  CHECK(boost::json::parse(later.out).as_object() == t.run(failed));
  auto const status = run_svc(t.with({"run", "watch", failed, "--template", "{status} {tests.1.title}"}));
  CHECK(status.out == "failed broken\n");
  auto const unknown = run_svc(t.with({"run", "watch", "01934f2e-4444-7d3e-9b1f-5a2c8e4d6f70"}));
  CHECK(unknown.code == 1);
  CHECK(run_svc(t.with({"run", "stream", failed, "--after", "x"})).code == 3);
}

TEST_CASE("lost output is reported, and the rest arrives") {
  auto& t = watch_stage();
  auto const run = t.triggered(t.job({{"gap", "for i in 1 2 3; do echo line $i; done; sleep 2; echo line 4"}}));
  svc_process streaming(t.with({"run", "stream", run}));
  REQUIRE(streaming.out().wait_line([](auto const& l) { return l == "line 3"; }, seconds(30)));
  ask_redis(t.dev.text("redisUrl").substr(5), {"FLUSHALL"});
  // A viewer that has the lines misses nothing. A new viewer is notified of the gap.
  auto const late = run_svc(t.with({"run", "stream", run}));
  CHECK(late.code == 0);
  CHECK(late.out == "line 4\n");
  CHECK(late.err == "[svc: output is missing here; the service has lost it]\n");
  auto const got = streaming.wait();
  CHECK(got.code == 0);
  CHECK(got.out == "line 1\nline 2\nline 3\nline 4\n");
  CHECK(got.err == "");
}

TEST_CASE("output of scripts reaches neither the terminal nor the CI system as a command") {
  auto& t = watch_stage();
  auto const script = R"(printf '\033[31mred\033[0m \033]0;title\007 \033[2J\n'; echo '::error::planted'; )"
                      R"(echo '::set-output name=a::b'; exit 1)";
  auto const run = t.triggered(t.job({{"a::b|`c`</details>", script}}, {{"name", "hostile"}}));
  REQUIRE(t.ends(run));
  struct {
    char const* name;
    std::vector<std::string> flags, environment;
    bool terminal;
    std::vector<std::string> said, unsaid;
  } const cases[] = {
      {"a pipe", {}, {}, false, {"red \\x1b]0;title\\x07 \\x1b[2J\n"}, {"\x1b"}},
      {"a terminal", {}, {}, true, {"\x1b[31mred\x1b[0m \\x1b]0;title\\x07 \\x1b[2J"}, {"\x1b]0", "\x1b[2J"}},
      {"a terminal without colour", {}, {"NO_COLOR=1"}, true, {"red \\x1b]0;title"}, {"\x1b[31m", "\x1b]0"}},
      {"raw", {"--raw"}, {}, false, {"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J\n"}, {}},
      {"GitHub",
       {},
       {"GITHUB_ACTIONS=true"},
       false,
       {"::group::Output of run " + run + "\n::stop-commands::", "\x1b[31mred\x1b[0m \\x1b]0;title",
        "::\n::endgroup::\n", "::error title=a%3A%3Ab|`c`</details>%3A failed::"},
       {"\x1b]0", "\x1b[2J"}},
      {"GitLab",
       {},
       {"GITLAB_CI=true"},
       false,
       {"section_start:", "[collapsed=true]\r\x1b[0KOutput of run " + run, "section_end:"},
       {"\x1b]0", "::group"}},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    std::vector<std::string> words{"run", "watch", run};
    words.insert(words.end(), c.flags.begin(), c.flags.end());
    auto invocation = t.with(words, c.environment);
    if (c.terminal) invocation.terminal.emplace(terminal_size{.columns = 200});
    auto const got = run_svc(invocation);
    CHECK(got.code == 1);
    auto const& all = c.terminal ? got.out : got.err;
    for (auto const& part : c.said) CHECK_MESSAGE(says(all, part), all);
    for (auto const& part : c.unsaid) CHECK_MESSAGE(!says(all, part), all);
  }
}

TEST_CASE("GitHub obeys none of the lines that a script printed, and gets a summary and outputs") {
  auto& t = watch_stage();
  auto const run = t.triggered(t.job({{"t|x", "echo '::error::planted'; echo '</pre><script>'; exit 1"}}));
  temporary_directory const files;
  auto const summary = files.write("summary", "before\n"), outputs = files.write("outputs", "");
  auto const got = run_svc(t.with(
      {"run", "watch", run}, {"GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=" + summary, "GITHUB_OUTPUT=" + outputs}));
  // Parses as GitHub's runner does: between a stop and its token nothing is a command.
  std::string stopped;
  std::istringstream lines(got.err);
  int planted = 0, errors = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!stopped.empty() && line == "::" + stopped + "::") {
      stopped.clear();
    } else if (line.starts_with("::stop-commands::")) {
      CHECK(stopped.empty());
      stopped = line.substr(17);
      CHECK(stopped.size() >= 32);
    } else if (stopped.empty() && line.starts_with("::error ")) {
      ++errors;
    } else if (says(line, "::error::planted")) {
      CHECK_MESSAGE(!stopped.empty(), got.err);
      ++planted;
    }
  }
  CHECK(stopped.empty());
  CHECK(planted == 2);
  CHECK(errors == 1);
  CHECK(text_of_file_at(outputs) == "run-id=" + run + "\nstatus=failed\n");
  auto const page = text_of_file_at(summary);
  CHECK(page.starts_with("before\n### "));
  CHECK(says(page, "| t&#124;x | failed |"));
  CHECK(says(page, "&lt;/pre>&lt;script>"));
}

}  // namespace
}  // namespace svc::test
