#include "svc/domain/monitoring/checks/http_check.hpp"

#include "unit/domain/monitoring/checks/answers.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::checks {
namespace {

result_of_check evaluated(http_expectations settings, answer const& answer,
                          secret_patterns_ptr const& secrets = nullptr) {
  auto const assertions = http_assertions::make(std::move(settings));
  REQUIRE(assertions.has_value());
  return assertions->evaluate(answer, secrets);
}

std::string outcome_of(result_of_check const& r) {
  std::string out(name_of(r.ended));
  if (r.degraded) out += " degraded";
  if (r.known.error)
    out.append(" ").append(row_of(r.known.error->which).name).append(": ").append(r.known.error->message);
  if (r.known.assertion) {
    out.append(" [")
        .append(std::to_string(r.known.assertion->index))
        .append(": ")
        .append(r.known.assertion->actual) += "]";
  }
  return out;
}

TEST_CASE("an http answer is compared with the expectations") {
  assertion_settings const good{source::status, "", comparison::equals, 200},
      bad{source::json, "$.n", comparison::equals, 7}, softly_bad{source::json, "$.n", comparison::equals, 7, true};
  struct {
    http_expectations set;
    std::string says;
  } const cases[] = {
      {{}, "up"},
      {{.expected_status_codes = "204,3xx"}, "down status_unexpected: The status code is 200, expected was 204,3xx."},
      {{.keyword = "TEXT"}, "up"},
      {{.keyword = "absent"}, "down assertion_failed: The body does not have the keyword."},
      {{.keyword = "absent", .keyword_present = false}, "up"},
      {{.keyword = "Text", .keyword_present = false},
       "down assertion_failed: The body has the keyword that it should not have."},
      {{.json = {{"$.n", 42}}}, "up"},
      {{.json = {{"$.n", {}}}}, "up"},
      {{.json = {{"$.absent", {}}}},
       "down assertion_failed: responseBodyJsonPath: json $.absent exists, but there is nothing."},
      {{.json = {{"$.n", 43}}}, "down assertion_failed: responseBodyJsonPath: json $.n equals 43, but there is 42."},
      {{.json = {{"$.z", std::monostate{}}}}, "up"},
      {{.assertions = {good, bad}}, "down assertion_failed: Assertion 2 does not hold: json $.n equals 7. [1: 42]"},
      {{.assertions = {good, softly_bad}}, "up degraded [1: 42]"},
      {{.assertions = {softly_bad, bad}},
       "down assertion_failed: Assertion 2 does not hold: json $.n equals 7. [1: 42]"},
      {{.degraded_after_ms = 249}, "up"},
      {{.degraded_after_ms = 248}, "up degraded"},
      {{.expected_status_codes = "201", .degraded_after_ms = 1},
       "down status_unexpected: The status code is 200, expected was 201."},
      {{.expected_status_codes = "201", .keyword = "absent", .assertions = {bad}},
       "down status_unexpected: The status code is 200, expected was 201."},
  };
  for (auto const& c : cases) CHECK(outcome_of(evaluated(c.set, json_answer())) == c.says);
}

TEST_CASE("a message is text that PostgreSQL takes, whatever the body holds") {
  struct {
    std::string body, there;
  } const cases[] = {
      {R"({"n":"a\u0000b"})",
       "a\xef\xbf\xbd"
       "b"},
      {"{\"n\":\"a\xff\xc3\"}", "a\xef\xbf\xbd\xef\xbf\xbd"},
      {R"({"n":"a\r\nb\u007f\u0085\u00e9"})",
       "a\xef\xbf\xbd\xef\xbf\xbd"
       "b\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9"},
  };
  for (auto const& c : cases) {
    answer target = json_answer();
    target.body = c.body;
    CHECK(evaluated({.json = {{"$.n", 1}}}, target).known.error->message ==
          "responseBodyJsonPath: json $.n equals 1, but there is " + c.there + ".");
  }
  answer target = json_answer();
  std::string const wild = R"({"n":")" + std::string(250, '\x7f') + R"("})";
  target.body = wild;
  auto const message = evaluated({.json = {{"$.n", 1}}}, target).known.error->message;
  CHECK(message.size() <= longest_message);
  CHECK(message.ends_with("…"));
  auto const failed =
      http_assertions::make({})->failed(failure(code::http_invalid, std::string("a\0b\xff", 4)), target, nullptr);
  CHECK(failed.known.error->message ==
        "a\xef\xbf\xbd"
        "b\xef\xbf\xbd");
}

TEST_CASE("a keyword is found whatever its case, and literally") {
  struct {
    std::string keyword, body;
    bool found;
  } const cases[] = {
      {"straße", "STRAßE", true}, {"ÉTÉ", "l'été", true},         {"ΣΊΣΥΦΟΣ", "σίσυφος", true},
      {"a.c", "abc", false},      {"a.c", "xA.Cx", true},         {"(", "f(x)", true},
      {"ok", "not O K", false},   {"ok", "\xff\xfeOK\xff", true}, {"ab", "a\nb", false},
      {"a\nb", "A\nB", true},     {"\\E*", "\\e*", true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.keyword);
    answer answer = json_answer();
    answer.body = c.body;
    CHECK((evaluated({.keyword = c.keyword}, answer).ended == status::up) == c.found);
    CHECK((evaluated({.keyword = c.keyword, .keyword_present = false}, answer).ended == status::up) == !c.found);
  }
}

TEST_CASE("a cut body is judged by the part that was read") {
  answer answer = json_answer();
  answer.truncated = true;
  CHECK(evaluated({.keyword = "absent"}, answer).known.error->message ==
        "The body does not have the keyword up to maxBodyBytes.");
  CHECK(evaluated({.keyword = "absent", .keyword_present = false}, answer).ended == status::up);
}

TEST_CASE("the facts of the answer in a result") {
  auto const up = evaluated({}, json_answer());
  CHECK(up.response_time_ms == 249);
  CHECK(up.known.status_code == 200);
  CHECK(up.known.phases->first_byte_ms == 200);
  CHECK(up.known.ip_address == "192.0.2.7");
  CHECK(up.known.http_version == "2");
  CHECK(up.known.body_bytes == json_answer().body.size());
  CHECK(up.known.tls->subject == "CN=subject");
  CHECK_FALSE(up.known.body_snippet);
  CHECK(up.known.response_headers.empty());
  CHECK(details_json(up).find("ipAddress") == std::string::npos);
}

TEST_CASE("a failure keeps a part of the answer, if asked for, without secrets") {
  auto const secrets = std::make_shared<secret_patterns const>(std::vector{secret_string("hunter2hunter2")});
  answer answer = json_answer();
  answer.headers = {{"X-A", "a hunter2hunter2 b"}, {"Set-Cookie", "session=1"}, {"X-Api-Key", "k"}};
  std::string const body = std::string(longest_snippet - 6, 'b') + "hunter2hunter2";
  answer.body = body;
  CHECK_FALSE(evaluated({.expected_status_codes = "500"}, answer, secrets).known.body_snippet);
  CHECK_FALSE(evaluated({.capture = true}, answer, secrets).known.body_snippet);
  auto const failed = evaluated({.expected_status_codes = "500", .capture = true}, answer, secrets);
  REQUIRE(failed.known.response_headers.size() == 3);
  CHECK(failed.known.response_headers[0].value == "a *** b");
  CHECK(failed.known.response_headers[1].value == "***");
  CHECK(failed.known.response_headers[2].value == "***");
  CHECK(*failed.known.body_snippet == std::string(longest_snippet - 6, 'b') + "***");
  // More than is kept.
  answer.headers.assign(20, {"X-Long", std::string(1000, 'x')});
  std::string const long_body(5000, 'x');
  answer.body = long_body;
  auto const cut = evaluated({.expected_status_codes = "500", .capture = true}, answer, secrets);
  std::size_t kept = 0;
  for (auto const& each : cut.known.response_headers) kept += each.name.size() + each.value.size();
  CHECK(kept <= longest_headers);
  CHECK(kept > longest_headers - 10);
  CHECK(cut.known.body_snippet->size() <= longest_snippet);
  CHECK(details_json(cut).size() <= longest_details);
}

TEST_CASE("a secret does not show in the message of responseBodyJsonPath") {
  auto const secrets = std::make_shared<secret_patterns const>(std::vector{secret_string("hunter2hunter2")});
  answer answer = json_answer();
  answer.body = R"({"a":"hunter2hunter2"})";
  auto const failed = evaluated({.json = {{"$.a", "x"}}}, answer, secrets);
  CHECK(failed.known.error->message == "responseBodyJsonPath: json $.a equals x, but there is ***.");
}

TEST_CASE("faults of a configuration have the place of each") {
  http_expectations set;
  set.expected_status_codes = "2";
  set.keyword = std::string();
  set.json = {{"a", {}}};
  set.assertions.assign(21, {source::header, "", comparison::contains});
  auto const made = http_assertions::make(set);
  REQUIRE_FALSE(made.has_value());
  std::vector<std::string> paths;
  for (auto const& each : made.error().details) paths.push_back(each.field);
  REQUIRE(paths.size() == 46);
  CHECK(paths[0] == "/expectedStatusCodes");
  CHECK(paths[1] == "/keywordInBody");
  CHECK(paths[2] == "/responseBodyJsonPath/path");
  CHECK(paths[3] == "/assertions");
  CHECK(paths[4] == "/assertions/0/property");
  CHECK(paths[45] == "/assertions/20/expected");
  CHECK(http_assertions::make({.keyword = std::string(1000, 'k')}).has_value());
  CHECK_FALSE(http_assertions::make({.keyword = std::string(1001, 'k')}).has_value());
  CHECK_FALSE(http_assertions::make({.keyword = "\xff"}).has_value());
}

TEST_CASE("headers whose values are secrets") {
  for (auto const* name :
       {"Authorization", "proxy-authorization", "COOKIE", "Set-Cookie", "X-Api-Key", "x-token-2", "My-Secret"}) {
    CAPTURE(name);
    CHECK(is_secret_header(name));
  }
  for (auto const* name : {"Accept", "X-Auth", "Content-Type", "Cookies"}) {
    CAPTURE(name);
    CHECK_FALSE(is_secret_header(name));
  }
}

}  // namespace
}  // namespace svc::checks
