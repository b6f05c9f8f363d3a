#include "svc/domain/monitoring/checks/assertion.hpp"

#include "unit/domain/monitoring/checks/answers.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::checks {
namespace {

/// Returns `+` if the assertion holds, else the actual value, or the reason for its refusal.
std::string tried(assertion_settings settings, answer const& answer) {
  auto const made = assertion::make(std::move(settings));
  if (!made) return made.error().details.front().field + ' ' + made.error().details.front().message;
  assertion_context shared(answer.body);
  return made->failed(answer, shared, nullptr).value_or("+");
}

TEST_CASE("assertions: each source with each comparison that is meant for it") {
  using enum source;
  using enum comparison;
  struct {
    assertion_settings set;
    std::string says;
  } const cases[] = {
      {{source::status, "", equals, 200}, "+"},
      {{source::status, "", equals, "200"}, "+"},
      {{source::status, "", equals, 201}, "200"},
      {{source::status, "", not_equals, 200}, "200"},
      {{source::status, "", less_than, 201}, "+"},
      {{source::status, "", less_than, 200}, "200"},
      {{source::status, "", greater_than, 199.5}, "+"},
      {{source::status, "", greater_than, 200}, "200"},
      {{source::status, "", contains, "20"}, "+"},
      {{source::status, "", matches, "^2"}, "+"},
      {{header, "content-TYPE", contains, "json"}, "+"},
      {{header, "Content-Type", equals, "json"}, "application/json"},
      {{header, "X-Two", equals, "b"}, "+"},
      {{header, "X-Two", not_equals, "b"}, "a, b"},
      {{header, "X-Two", not_equals, "c"}, "+"},
      {{header, "X-Two", matches, "^[ab]$"}, "+"},
      {{header, "X-Two", not_matches, "^a"}, "a, b"},
      {{header, "Content-Length", equals, 42}, "+"},
      {{header, "Content-Length", less_than, "43"}, "+"},
      {{header, "Content-Type", less_than, 1}, "application/json"},
      {{header, "X-Empty", exists}, "+"},
      {{header, "X-Empty", comparison::empty}, "+"},
      {{header, "X-Empty", not_empty}, ""},
      {{header, "X-None", exists}, "nothing"},
      {{header, "X-None", not_exists}, "+"},
      {{header, "X-None", comparison::empty}, "+"},
      {{header, "X-None", not_empty}, "nothing"},
      {{header, "X-None", equals, "a"}, "nothing"},
      {{header, "X-None", not_equals, "a"}, "+"},
      {{header, "X-None", contains, "a"}, "nothing"},
      {{header, "X-None", not_contains, "a"}, "+"},
      {{source::body, "", contains, "\"n\""}, "+"},
      {{source::body, "", contains, "absent"}, "159 bytes"},
      {{source::body, "", not_matches, "(?i)ERROR"}, "+"},
      {{response_time_ms, "", less_than, 250}, "+"},
      {{response_time_ms, "", less_than, 249}, "249"},
      {{certificate_days, "", greater_than, 8}, "+"},
      {{certificate_days, "", greater_than, 9}, "9"},
      {{ip, "", equals, "192.0.2.7"}, "+"},
      {{ip, "", matches, R"(^192\.0\.2\.)"}, "+"},
      {{dns_answer, "", equals, "192.0.2.1\n192.0.2.9"}, "+"},
      {{dns_answer, "", contains, "192.0.2.9"}, "+"},
      {{dns_answer, "", matches, "(?m)^192.0.2.1$"}, "+"},
      {{dns_answer, "", equals, "192.0.2.9"}, "192.0.2.1\n192.0.2.9"},
  };
  auto const answer = json_answer();
  for (auto const& c : cases) {
    auto const made = assertion::make(c.set);
    CAPTURE((made ? made->describe() : std::string()));
    CHECK(tried(c.set, answer) == c.says);
  }
}

TEST_CASE("assertions about JSON") {
  using enum source;
  using enum comparison;
  struct {
    std::string path;
    comparison comparison;
    expected_value expected;
    std::string says;
  } const cases[] = {
      {"$.s", equals, "text", "+"},
      {"$.s", equals, "Text", "text"},
      {"$.s", contains, "ex", "+"},
      {"$.s", matches, "^t.x", "+"},
      {"$.n", equals, 42, "+"},
      {"$.n", equals, 42.0, "+"},
      {"$.n", equals, "42", "+"},
      {"$.n", equals, "42.0", "+"},
      {"$.n", equals, "forty-two", "42"},
      {"$.n", greater_than, 41.9, "+"},
      {"$.f", equals, 1.5, "+"},
      {"$.f", matches, R"(^1\.5$)", "+"},
      {"$.big", equals, std::int64_t{9007199254740993}, "+"},
      {"$.big", equals, std::int64_t{9007199254740992}, "9007199254740993"},
      {"$.number_text", equals, 7, "+"},
      {"$.number_text", less_than, 8, "+"},
      {"$.t", equals, true, "+"},
      {"$.t", equals, "true", "+"},
      {"$.t", equals, 1, "true"},
      {"$.z", equals, std::monostate{}, "+"},
      {"$.z", not_equals, std::monostate{}, "null"},
      {"$.z", exists, {}, "+"},
      {"$.z", comparison::empty, {}, "+"},
      {"$.s", equals, std::monostate{}, "text"},
      {"$.list", contains, 2, "+"},
      {"$.list", contains, 4, "[1,2,3]"},
      {"$.list", not_contains, 4, "+"},
      {"$.list", equals, "[1,2,3]", "[1,2,3]"},
      {"$.list", not_empty, {}, "+"},
      {"$.list[*]", equals, 3, "+"},
      {"$.list[*]", not_equals, 3, "1, 2, 3"},
      {"$.list[*]", not_equals, 5, "+"},
      {"$.list[*]", greater_than, 2, "+"},
      {"$.list[-1]", equals, 3, "+"},
      {"$.o", contains, "k", "+"},
      {"$.o", contains, "v", "{\"k\":\"v\"}"},
      {"$.o.*", equals, "v", "+"},
      {"$.absent", exists, {}, "nothing"},
      {"$.absent", not_exists, {}, "+"},
      {"$.absent", equals, std::monostate{}, "nothing"},
      {"$.absent", not_equals, 1, "+"},
      {"$.absent", not_empty, {}, "nothing"},
      {"$.absent", less_than, 1, "nothing"},
  };
  auto const answer = json_answer();
  for (auto const& c : cases) {
    assertion_settings const set{source::json, c.path, c.comparison, c.expected};
    CAPTURE(assertion::make(set)->describe());
    CHECK(tried(set, answer) == c.says);
  }
}

TEST_CASE("no assertion about JSON holds if the content is unknown") {
  using enum source;
  using enum comparison;
  answer answer = json_answer();
  for (auto const settings : {not_exists, not_empty, comparison::empty, exists}) {
    answer.body = "<html>";
    CHECK(tried({source::json, "$.a", settings}, answer) == "no JSON");
    answer.truncated = true;
    CHECK(tried({source::json, "$.a", settings}, answer) == "not JSON: the body continues after maxBodyBytes");
    answer.truncated = false;
    std::string const deep = std::string(129, '[') + std::string(129, ']');
    answer.body = deep;
    CHECK(tried({source::json, "$.a", settings}, answer) == "no JSON");
  }
  std::string wide = "[0";
  for (int i = 0; i < 1000; ++i) wide += ",0";
  wide += ']';
  answer.body = wide;
  CHECK(tried({source::json, "$[*]", not_equals, 1}, answer) == "more than 1000 nodes");
  // The parser reads everything that other parsers read without complaint.
  answer.body = "\xef\xbb\xbf{\"a\":1,\"a\":2,\"b\":\"\xff\"}";
  CHECK(tried({source::json, "$.a", equals, 2}, answer) == "+");
}

TEST_CASE("JSON that is expensive to read is not read") {
  using enum source;
  using enum comparison;
  answer answer = json_answer();
  auto const object_of = [](int members) {
    std::string out = "{\"a\":1";
    for (int i = 1; i < members; ++i) out += ",\"" + std::to_string(i) + "\":1";
    return out + '}';
  };
  std::string text = object_of(10'000);
  answer.body = text;
  CHECK(tried({source::json, "$.a", equals, 1}, answer) == "+");
  text = object_of(10'001);
  answer.body = text;
  CHECK(tried({source::json, "$.a", not_equals, 2}, answer) == "JSON with too many members in an object");
  text = "[" + object_of(8'000) + "," + object_of(8'000) + "]";
  answer.body = text;
  CHECK(tried({source::json, "$", exists}, answer) == "JSON with too many members in an object");
  text = "[0";
  for (int i = 1; i < 499'999; ++i) text += ",0";
  answer.body = text += "]";
  CHECK(tried({source::json, "$[0]", equals, 0}, answer) == "+");
  text.back() = ',';
  answer.body = text += "0]";
  CHECK(tried({source::json, "$[0]", equals, 0}, answer) == "JSON of more than 500000 values");
}

TEST_CASE("patterns search as much as can be searched in bounded time") {
  using enum source;
  using enum comparison;
  auto answer = json_answer();
  std::string text(4UL << 20U, 'a');
  answer.body = text;
  // Its automaton has more states than any cache stores, so each byte costs a thousand steps.
  assertion_settings const slow{source::body, "", matches, "a[ab]{900}c"};
  CHECK(tried(slow, answer) == "more text than its patterns may search");
  auto slow_not = slow;
  slow_not.comparison = not_matches;
  CHECK(tried(slow_not, answer) == "more text than its patterns may search");
  // The search finds matches within that limit, and a simple pattern searches the whole text.
  text.replace(0, 5, "begin");
  CHECK(tried({source::body, "", matches, "begin"}, answer) == "+");
  CHECK(tried({source::body, "", not_matches, "begin"}, answer) == std::to_string(text.size()) + " bytes");
  text.replace(text.size() - 3, 3, "end");
  CHECK(tried({source::body, "", matches, "end"}, answer) == "+");
  // All expressions of one answer share the limit.
  assertion_context shared(answer.body);
  auto const first = shared.may_search(100);
  shared.searched(first / 2, 100);
  CHECK(shared.may_search(100) == first - first / 2);
  shared.searched(first, 100);
  CHECK(shared.may_search(1) == 0);
}

TEST_CASE("assertions that mean nothing are refused") {
  using enum source;
  using enum comparison;
  struct {
    assertion_settings set;
    std::string says;
  } const cases[] = {
      {{header, "", exists}, "/property must be the name of a header"},
      {{header, "a b", exists}, "/property must be the name of a header"},
      {{source::json, "a", exists}, "/property must begin with $, at character 1"},
      {{source::body, "x", exists}, "/property must be left out with this source"},
      {{source::body, "", exists, "x"}, "/expected must be left out with this comparison"},
      {{source::body, "", not_empty, false}, "/expected must be left out with this comparison"},
      {{source::body, "", contains}, "/expected must not be null or empty with this comparison"},
      {{source::body, "", not_contains, ""}, "/expected must not be null or empty with this comparison"},
      {{source::body, "", matches, 1}, "/expected must be a regular expression (RE2) with this comparison"},
      {{source::body, "", matches, std::string(501, 'a')},
       "/expected must have at most 500 bytes with this comparison"},
      {{source::body, "", matches, "("}, "/expected must be a regular expression of RE2: missing ): ("},
      {{source::body, "", matches, "(?=a)"},
       "/expected must be a regular expression of RE2: invalid perl operator: (?="},
      {{source::status, "", less_than, "many"}, "/expected must be a number with this comparison"},
      {{source::status, "", greater_than, true}, "/expected must be a number with this comparison"},
      {{source::status, "", greater_than}, "/expected must be a number with this comparison"},
  };
  for (auto const& c : cases) CHECK(tried(c.set, json_answer()) == c.says);
  CHECK(assertion::make({source::body, "", matches, std::string(500, 'a')}).has_value());
  // The expression needs more memory than allowed.
  CHECK_FALSE(assertion::make({source::body, "", matches, "((a{100}){100}){10}"}).has_value());
}

TEST_CASE("the found value is shown without secrets, and cut") {
  using enum source;
  using enum comparison;
  auto answer = json_answer();
  auto const secrets = std::make_shared<secret_patterns const>(std::vector{secret_string("hunter2hunter2")});
  std::string const value = std::string(longest_actual - 8, 'x') + "hunter2hunter2";
  answer.headers = {{"A", value}};
  auto const made = assertion::make({header, "a", equals, "b"});
  assertion_context shared(answer.body);
  auto const shown = made->failed(answer, shared, secrets);
  REQUIRE(shown.has_value());
  CHECK(shown->size() <= longest_actual);
  CHECK(shown->find("hunt") == std::string::npos);
  CHECK(shown->ends_with("***"));
  answer.headers = {{"A", std::string(1000, 'y')}};
  CHECK(made->failed(answer, shared, secrets) == std::string(longest_actual - 3, 'y') + "…");
}

TEST_CASE("names of sources and comparisons are those of the contract") {
  using enum source;
  using enum comparison;
  CHECK(source_named("status") == source::status);
  CHECK(source_named("responseTimeMs") == response_time_ms);
  CHECK(source_named("dnsAnswer") == dns_answer);
  CHECK_FALSE(source_named("cookie").has_value());
  CHECK(comparison_named("equals") == equals);
  CHECK(comparison_named("not_empty") == not_empty);
  CHECK_FALSE(comparison_named("is").has_value());
}

}  // namespace
}  // namespace svc::checks
