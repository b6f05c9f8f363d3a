#include "cli/commands/body_flags.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/commands/page_reader.hpp"
#include "cli/commands/resource.hpp"
#include "cli/program.hpp"
#include "support/temporary_directory.hpp"

#include <CLI/CLI.hpp>

#include <doctest/doctest.h>

#include <ctime>
#include <fstream>

using namespace svc::cli;

namespace {

/// The body that a command line makes for a resource.
std::string body_of(resource const& r, bool creates, std::vector<std::string> words) {
  context cx;
  CLI::App app;
  body_flags flags(r.fields, r.name_member, creates);
  flags.declare(app);
  std::reverse(words.begin(), words.end());
  app.parse(words);
  return flags.json(cx);
}

constexpr auto some_id = "01934f2e-5555-7d3e-9b1f-5a2c8e4d6f70";

}  // namespace

TEST_CASE("JSON in place of a file is refused with the option and a pipe, and not repeated") {
  for (std::string const option : {"--config", "--file"}) {
    CAPTURE(option);
    try {
      body_of(provider_resource(), true, {"n", option, R"({"url":"https://hook/secret"})"});
      FAIL("no failure");
    } catch (failure const& f) {
      CHECK(f.exit() == exit_code::usage);
      CHECK(std::string(f.what()) == option + " takes a file, or - for stdin, not JSON itself.");
      CHECK(f.hint() == "Pipe it: echo '{...}' | svc ... " + option + " -");
    }
  }
}

TEST_CASE("flags make the members of a body") {
  auto const with_id = std::string(R"({"name":"n","tests":[{"id":")") + some_id + R"("}]})";
  struct {
    char const* name;
    resource const& resource;
    bool creates;
    std::vector<std::string> words;
    std::string expected;
  } const cases[] = {
      {"name by its place", job_resource(), true, {"nightly"}, R"({"name":"nightly"})"},
      {"texts, numbers, switches",
       job_resource(),
       true,
       {"n", "--type", "k6", "--cron", "0 3 * * *", "--run-timeout", "60", "--disable", "--max-concurrent", "2"},
       R"({"name":"n","jobType":"k6","cronSchedule":"0 3 * * *","enabled":false,"timeoutSeconds":60,"maxConcurrentRuns":2})"},
      {"ids", job_resource(), true, {"n", "--test", some_id}, with_id},
      {"parameters",
       job_resource(),
       false,
       {"--param", "A", "--param", "B!", "--param", "C=x=y", "--param", "D="},
       R"({"parameters":[{"name":"A","required":false},{"name":"B","required":true},{"name":"C","required":false,"default":"x=y"},{"name":"D","required":false,"default":""}]})"},
      {"another name", job_resource(), false, {"--name", "m"}, R"({"name":"m"})"},
      {"null",
       job_resource(),
       false,
       {"--clear", "cronSchedule", "--clear", "description"},
       R"({"cronSchedule":null,"description":null})"},
      {"duration", job_resource(), false, {"--run-timeout", "5m"}, R"({"timeoutSeconds":300})"},
      {"seconds", job_resource(), false, {"--run-timeout", "90"}, R"({"timeoutSeconds":90})"},
      {"enabled", job_resource(), false, {"--enable"}, R"({"enabled":true})"},
      {"tag", tag_resource(), true, {"smoke", "--hex", "#1f883d"}, R"({"name":"smoke","color":"#1f883d"})"},
      {"test",
       test_resource(),
       true,
       {"t", "--priority", "low", "--description", "x"},
       R"({"title":"t","description":"x","priority":"low"})"},
      {"a window that recurs",
       window_resource(),
       true,
       {"n", "--tag", some_id, "--cron", "@weekly", "--zone", "Europe/Berlin", "--for", "90m", "--count-in-uptime"},
       std::string(R"({"name":"n","tagIds":[")") + some_id +
           R"("],"durationMinutes":90,"cron":"0 0 * * 0","timeZone":"Europe/Berlin","excludeFromUptime":false})"},
      {"a window of all monitors",
       window_resource(),
       false,
       {"--all-monitors", "--start", "2026-12-01T22:00:00Z", "--clear", "until"},
       R"({"all":true,"startsAt":"2026-12-01T22:00:00Z","until":null})"},
      {"dependencies",
       monitor_resource(),
       false,
       {"--depends-on", some_id},
       std::string(R"({"dependsOn":[")") + some_id + R"("]})"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(body_of(c.resource, c.creates, c.words) == c.expected);
  }
}

TEST_CASE("bodies that make no sense are refused before anything is sent") {
  struct {
    char const* name;
    resource const& resource;
    bool creates;
    std::vector<std::string> words;
  } const cases[] = {
      {"no name", job_resource(), true, {}},
      {"no name beside others", job_resource(), true, {"--type", "k6"}},
      {"nothing to change", job_resource(), false, {}},
      {"no integer", job_resource(), false, {"--max-concurrent", "1h"}},
      {"not a duration", job_resource(), false, {"--run-timeout", "1 hour"}},
      {"parameter without a name", job_resource(), false, {"--param", "=x"}},
      {"part of a minute", window_resource(), false, {"--for", "90s"}},
      {"no moment", window_resource(), false, {"--start", "soon"}},
      {"stdin twice", test_resource(), false, {"--script", "-", "--file", "-"}},
      {"no such file", test_resource(), false, {"--script", "/nowhere/x.sh"}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK_THROWS_AS(body_of(c.resource, c.creates, c.words), failure);
  }
  for (auto const& words :
       {std::vector<std::string>{"--type", "k7"}, {"--clear", "name"}, {"--name", "a", "--name", "b"}})
    CHECK_THROWS_AS(body_of(provider_resource(), false, words), CLI::ParseError);
}

TEST_CASE("a body's file is sent as it is, and flags beat its members") {
  svc::test::temporary_directory directory;
  auto const file = directory.path() + "/body.json";
  std::ofstream(file) << R"({ "name": "a",  "timeoutSeconds": 123456789012345678901234567890 })";
  CHECK(body_of(job_resource(), true, {"--file", file}) ==
        R"({ "name": "a",  "timeoutSeconds": 123456789012345678901234567890 })");
  CHECK(body_text(R"({"name":"a","x":1})", std::vector<given_member>{{"name", "b"}}, "name") ==
        R"({"name":"b","x":1})");
  for (auto const* const wrong : {"[]", "nonsense", "{\"a\":1} x", "1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(body_text(wrong, {}, ""), failure);
  }
  CHECK_THROWS_AS(body_text(R"({"x":1})", {}, "name"), failure);
  std::ofstream(file) << "\xff";
  CHECK_THROWS_AS(text_of_file(file), failure);
  CHECK_THROWS_AS(text_of_file(directory.path()), failure);
}

TEST_CASE("moments are RFC 3339 or a distance from now") {
  svc::timestamp const now = *svc::parse_rfc3339("2026-11-23T12:00:00Z");
  struct {
    char const* text;
    char const* expected;
  } const cases[] = {
      {"-2h", "2026-11-23T10:00:00.000Z"},
      {"2h", "2026-11-23T10:00:00.000Z"},
      {"90s", "2026-11-23T11:58:30.000Z"},
      {"-15m", "2026-11-23T11:45:00.000Z"},
      {"7d", "2026-11-16T12:00:00.000Z"},
      {"0s", "2026-11-23T12:00:00.000Z"},
      {"-2w", "2026-11-09T12:00:00.000Z"},
      {"2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z"},
      {"2026-11-20T10:00:00.5+01:00", "2026-11-20T10:00:00.5+01:00"},
  };
  for (auto const& c : cases) CHECK(moment_of(c.text, now) == c.expected);
  // Days begin in local time.
  auto const day = [&](char const* text) {
    return svc::parse_rfc3339(moment_of(text, now)).value().micros / 1'000'000;
  };
  auto const noon = now.micros / 1'000'000;
  std::time_t const today = day("today");
  CHECK(std::localtime(&today)->tm_hour == 0);
  CHECK(noon - today < 86400);
  CHECK(day("2026-11-20") < day("yesterday"));
  CHECK(day("yesterday") < today);
  for (auto const* const wrong :
       {"", "-", "h", "--2h", "2", "tomorrow", "1.5h", "99999999999d", "2026-13-01", "2026-02-30", "2026-1-1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(moment_of(wrong, now), failure);
  }
}

TEST_CASE("only the cursor is taken from a link") {
  struct {
    char const* link;
    char const* expected;  // nullptr: none
  } const cases[] = {
      {R"(<https://a/api/jobs?page=2&cursor=abc-_.%3D&limit=1>; rel="next")", "abc-_.%3D"},
      {R"(<https://a/x?page=1>; rel="first", <https://a/x?cursor=n>; rel="next", <https://a/x?cursor=l>; rel="last")",
       "n"},
      {R"(<https://a/x?cursor=p>; rel="prev")", nullptr},
      {R"(<https://a/x?page=2>; rel="next")", nullptr},
      {R"(<https://a/x?xcursor=1>; rel="next")", nullptr},
      {R"(<https://a/x?cursor=>; rel="next")", nullptr},
      {R"(<https://a/x?cursor=a b>; rel="next")", nullptr},
      {R"(<https://a/x?cursor=a)", nullptr},
      {"", nullptr},
  };
  for (auto const& c : cases) {
    CAPTURE(c.link);
    CHECK(next_cursor(c.link) == (c.expected == nullptr ? std::nullopt : std::optional<std::string>(c.expected)));
  }
}
