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
      {job, "/tests/0/id", "must be a UUID", R"({"tests":[{"id":"x"}]})", "--test must be a UUID, not 'x'."},
      {credential_options(), "/expiresIn", "must be from 60 to 315360000", R"({"expiresIn":5})",
       "--expires-in must be from 1m to 3650d, not 5s."},
      {credential_options(), "/rateLimit/limit", "must be from 1 to 100000", R"({"rateLimit":{"limit":0}})",
       "--rate-limit must be from 1 to 100000, not 0."},
      {credential_options(), "/graceSeconds", "must be from 0 to 604800", R"({"graceSeconds":604801})",
       "--grace must be from 0s to 7d, not 604801s."},
      {job, "/alertConfig", "must have a member", R"({"alertConfig":{}})", "--alerts must have a member."},
      {job, "/alertConfig/onFailure", "must be true or false", R"({"alertConfig":{"onFailure":1}})",
       "--alerts: /onFailure must be true or false."},
      {query, "targetId", "must be a UUID", R"({"targetId":"shop"})", "--target must be a UUID, not 'shop'."},
      {parameters, "/parameters/REGION", "is required", "{}", "--param REGION is required."},
      {monitor, "/config/port", "is required", R"({"config":{"ports":9}})", "--config: /port is required."},
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
        "--name is too long, not '" + std::string(59, 'a') + "…'.");
  auto const other = with_option_names(refused_member("/other", "is unknown"), "{}", job);
  CHECK(other.what() == std::string("The body is wrong."));
  CHECK(other.hint() == "/other is unknown");
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
      {"", "--cron must have five fields, and '' has 0."},
      {"@reboot", "--cron does not know the schedule '@reboot'."},
  };
  for (auto const& c : bad) {
    CAPTURE(c.given);
    CHECK(usage_printed_by([&] { schedule_argument(c.given, "--cron"); }) == c.expected);
  }
}

TEST_CASE("a mistake in JSON is told with its line and column") {
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
      {"{}\n\n{}", "--file: x is not JSON: line 3, column 1: there is more text behind the value."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const reported = usage_printed_by([&] { json_argument(c.text, "--file: x"); });
    CHECK(reported.substr(0, std::string(c.spot).size()) == c.spot);
  }
}

}  // namespace svc::cli
