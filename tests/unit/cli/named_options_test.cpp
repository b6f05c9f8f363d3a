// Refusals in the words of the command line, schedules and JSON with the place of a mistake.
#include "cli/commands/named_options.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/commands/resource.hpp"

#include <doctest/doctest.h>

#include <boost/json/array.hpp>

#include <vector>

namespace svc::cli {
namespace {

failure refused_member(char const* field, char const* message) {
  return failure(exit_code::refused, "invalid", "The body is wrong.", std::string(field) + " " + message)
      .with("details", boost::json::array{boost::json::object{{"field", field}, {"message", message}}});
}

template <class Work>
std::string usage_printed_by(Work const& work) {
  try {
    work();
  } catch (failure const& f) {
    CHECK(f.exit() == exit_code::usage);
    return f.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a refused member is named by the option that gave it, with its value and durations as they are typed") {
  auto const monitor = options_of(monitor_resource().fields);
  auto const job = options_of(job_resource().fields);
  auto const window = options_of(window_resource().fields);
  std::vector<named_option> const query{{"targetId", "--target"}};
  std::vector<named_option> const parameters{{.member = "parameters", .flag = "--param", .is_map = true}};
  struct {
    std::span<named_option const> options;
    char const* field;
    char const* message;
    char const* body;
    char const* expected;
  } const cases[] = {
      {monitor, "/frequencySeconds", "must be from 10 to 86400", R"({"frequencySeconds":1})",
       "--every must be from 10s to 1d, not 1s."},
      {job, "/timeoutSeconds", "must be from 1 to 86400", R"({"timeoutSeconds":0})",
       "--run-timeout must be from 1s to 1d, not 0s."},
      {window, "/durationMinutes", "must be from 1 to 1440", R"({"durationMinutes":2880})",
       "--for must be from 1m to 1d, not 2d."},
      {window, "/announceHours", "must be from 0 to 720", R"({"announceHours":1440})",
       "--announce must be from 0s to 30d, not 60d."},
      {window, "/durationMinutes", "must be at least 60 minutes", R"({"durationMinutes":30})",
       "--for must be at least 1h, not 30m."},
      {job, "/tests/0/id", "must be a UUID", R"({"tests":[{"id":"x"}]})", "--test must be a UUID, not 'x'."},
      {credential_options(), "/expiresIn", "must be from 60 to 315360000", R"({"expiresIn":5})",
       "--expires-in must be from 1m to 3650d, not 5s."},
      {credential_options(), "/rateLimit/limit", "must be from 1 to 100000", R"({"rateLimit":{"limit":0}})",
       "--rate-limit must be from 1 to 100000, not 0."},
      {credential_options(), "/graceSeconds", "must be from 0 to 604800", R"({"graceSeconds":604801})",
       "--grace must be from 0s to 7d, not 604801s."},
      {job, "/alertConfig", "must have a member", R"({"alertConfig":{}})", "--alerts must have a member."},
      {job, "/alertConfig/onFailure", "must be true or false", R"({"alertConfig":{"onFailure":1}})",
       "--alerts: onFailure must be true or false."},
      {query, "targetId", "must be a UUID", R"({"targetId":"shop"})", "--target must be a UUID, not 'shop'."},
      {parameters, "/parameters/REGION", "is required", "{}", "--param REGION is required."},
      {monitor, "/config/port", "is required", R"({"config":{"ports":9}})", "--port is required."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.field);
    auto const reported = with_option_names(refused_member(c.field, c.message), c.body, c.options);
    CHECK(reported.what() == std::string(c.expected));
    CHECK(reported.hint().empty());
    CHECK(reported.code() == "invalid");
  }
  auto const long_value = R"({"name":")" + std::string(300, 'a') + R"("})";
  CHECK(with_option_names(refused_member("/name", "is too long"), long_value, job).what() ==
        "--name '" + std::string(59, 'a') + "…' is too long.");
  auto const other = with_option_names(refused_member("/other", "is unknown"), "{}", job);
  CHECK(other.what() == std::string("The body is wrong."));
  CHECK(other.hint() == "/other is unknown");
}

TEST_CASE("a sentence about a value demands something else, or follows the value") {
  std::vector<std::string> const tests{"smoke", "smoke", "load"};
  std::vector<named_option> const options{
      {.member = "target", .flag = "--target"},
      {.member = "tests", .flag = "--test", .values = tests},
      {.member = "config.port", .flag = "--port"},
      {.member = "frequencySeconds", .flag = "--every", .is_duration = true},
  };
  struct {
    char const* field;
    char const* message;
    char const* body;
    char const* expected;
  } const cases[] = {
      {"/target", "must not be an address that is closed to checks", R"({"target":"10.0.0.1"})",
       "--target '10.0.0.1' must not be an address that is closed to checks."},
      {"/target", "the host has a character that names of hosts do not have", R"({"target":"https://x"})",
       "--target 'https://x': the host has a character that names of hosts do not have."},
      {"/target", "must be null", R"({"target":"x"})", "--target must be left out here."},
      {"/target", "is required", "{}", "--target is required."},
      {"/tests/1", "must not repeat an earlier item", R"({"tests":[{},{},{}]})",
       "--test 'smoke' must not repeat an earlier item."},
      {"/tests/2/id", "is a performance test, which does not run in a playwright job",
       R"({"tests":[{},{},{"id":"01934f2e-5555-7d3e-9b1f-5a2c8e4d6f70"}]})",
       "--test 'load' is a performance test, which does not run in a playwright job."},
      {"/config/port", "must be from 1 to 65535", R"({"config":{"port":0}})",
       "--port must be from 1 to 65535, not 0."},
      {"/config/port", "is not allowed here; allowed are: timeoutSeconds", R"({"config":{"port":1}})",
       "--port is not for this type."},
      {"/frequencySeconds", "must be at least 30 seconds, the minimum of checks.min_interval",
       R"({"frequencySeconds":10})", "--every must be at least 30s, the minimum of checks.min_interval, not 10s."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.message);
    CHECK(with_option_names(refused_member(c.field, c.message), c.body, options).what() == std::string(c.expected));
  }
}

TEST_CASE("a refused member of a file is named with the file, its line and the member that was meant") {
  constexpr std::string_view text =
      "{\n  \"name\": \"x\",\n  \"to\": [\n    \"a\",\n    \"b\"\n  ],\n  \"typ\": 1\n}\n";
  std::vector<named_option> const options{
      {.member = {}, .flag = "--file", .is_json = true, .source = "b.json", .json_text = text},
      {.member = "config", .flag = "--config", .is_json = true, .source = "stdin", .json_text = R"({"topik": 1})"},
      {.member = "name", .flag = "NAME"},
  };
  struct {
    char const* field;
    char const* message;
    char const* expected;
  } const cases[] = {
      {"/to/1", "must be an e-mail address", "b.json, line 5: to[1] must be an e-mail address."},
      {"/typ", "is not allowed here; allowed are: name, type",
       "b.json, line 7: typ is not allowed here; allowed are: name, type. Did you mean type?"},
      {"/title", "is required", "b.json, line 1: title is required."},
      {"", "must be an object", "b.json, line 1: must be an object."},
      {"/config/topik", "is not allowed here; allowed are: topic",
       "--config (stdin): topik is not allowed here; allowed are: topic. Did you mean topic?"},
      {"/name", "is required", "NAME is required."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.field);
    CHECK(with_option_names(refused_member(c.field, c.message), "{}", options).what() == std::string(c.expected));
  }
  constexpr std::string_view nested = R"({"a": {"b\"": [1, {"c": "}"}]}, "d": 2})";
  CHECK(position_in_json(nested, "/d") == nested.find("\"d\""));
  CHECK(position_in_json(nested, "/a/b\"/1/c") == nested.find("\"c\""));
  CHECK(position_in_json(nested, "/a/b\"/7") == nested.find('['));
  CHECK(position_in_json("", "/a") == 0);
}

TEST_CASE("a schedule is named with the field that is wrong, and crontab's names are taken") {
  struct {
    char const* given;
    char const* expected;
  } const good[] = {{"0 3 * * *", "0 3 * * *"}, {"@hourly", "0 * * * *"},  {"@daily", "0 0 * * *"},
                    {"@midnight", "0 0 * * *"}, {"@weekly", "0 0 * * 0"},  {"@monthly", "0 0 1 * *"},
                    {"@yearly", "0 0 1 1 *"},   {"@annually", "0 0 1 1 *"}};
  for (auto const& c : good) CHECK(schedule_argument(c.given, "--cron") == c.expected);
  struct {
    char const* given;
    char const* expected;
  } const bad[] = {
      {"61 3 * * *", "--cron: the minute must be from 0 to 59, not '61'."},
      {"0 24 * * *", "--cron: the hour must be from 0 to 23, not '24'."},
      {"0 3 0 * *", "--cron: the day of month must be from 1 to 31, not '0'."},
      {"0 3 * 13 *", "--cron: the month must be from 1 to 12 or jan to dec, not '13'."},
      {"0 3 * * 8", "--cron: the day of week must be from 0 to 7 or sun to sat, not '8'."},
      {"0 3 * *", "--cron must have five fields, and '0 3 * *' has 4."},
      {"0 0 3 * * *", "--cron must have five fields, and '0 0 3 * * *' has 6."},
      {"", "--cron must not be empty."},
      {" ", "--cron must have five fields, and ' ' has 0."},
      {"@reboot", "--cron does not know the schedule '@reboot'."},
  };
  for (auto const& c : bad) {
    CAPTURE(c.given);
    CHECK(usage_printed_by([&] { schedule_argument(c.given, "--cron"); }) == c.expected);
  }
}

TEST_CASE("a mistake in JSON is reported with its line and column") {
  CHECK(json_argument("{\"a\": [1, 2]}\n", "x").as_object().size() == 1);
  struct {
    char const* text;
    char const* spot;
  } const cases[] = {
      {"{\n  \"a\": 1,\n  b: 2\n}", "--file: x is not JSON: line 3, column 3:"},
      {"{'a': 1}", "--file: x is not JSON: line 1, column 2:"},
      {"{\"a\": 1", "--file: x is not JSON: line 1, column 8: the text ends too early."},
      {"{\"a\":\n[1,\n2", "--file: x is not JSON: line 3, column 2: the text ends too early."},
      {"", "--file: x is not JSON: line 1, column 1: the text ends too early."},
      {"{}\n\n{}", "--file: x is not JSON: line 3, column 1: more text follows the value."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const reported = usage_printed_by([&] { json_argument(c.text, "--file: x"); });
    CHECK(reported.substr(0, std::string(c.spot).size()) == c.spot);
  }
}

}  // namespace svc::cli
