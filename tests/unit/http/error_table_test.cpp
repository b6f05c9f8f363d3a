#include "svc/http/error_table.hpp"

#include "svc/http/json.hpp"

#include <doctest/doctest.h>
#include <boost/json/value.hpp>

#include <algorithm>
#include <string>

using namespace svc;
using namespace svc::http;

namespace {

std::string field_of(response const& r, std::string_view name) {
  auto const iterator =
      std::find_if(r.fields.begin(), r.fields.end(), [name](auto const& f) { return f.first == name; });
  return iterator == r.fields.end() ? "" : iterator->second;
}

request with_accept(std::vector<std::string_view> const& values) {
  request head;
  for (auto const value : values) head.fields.push_back({"accept", value});
  return head;
}

}  // namespace

TEST_CASE("error table: every errc has its row, and is found by its code") {
  for (std::uint16_t i = 0; i < errc_count; ++i) {
    auto const& row = row_of(static_cast<errc>(i));
    INFO(row.name);
    CHECK(row.code == static_cast<errc>(i));
    CHECK(errc_of(row.name) == row.code);
    CHECK(reason_phrase(row.status) != "Unknown");
    CHECK(row.sentence.ends_with('.'));
  }
  CHECK_FALSE(errc_of("no_such_code"));
  CHECK(reason_phrase(303) == "See Other");
  CHECK(reason_phrase(299) == "Unknown");
}

TEST_CASE("error table: every errc gives the one shape") {
  for (std::uint16_t i = 0; i < errc_count; ++i) {
    auto const code = static_cast<errc>(i);
    auto const& row = row_of(code);
    INFO(row.name);
    auto const plain = error_response(code, "id-1", false);
    CHECK(plain.status == row.status);
    CHECK(plain.content_type == "application/json");
    auto const body = *parse_json(plain.body);
    CHECK(body.as_object().size() == 3);
    CHECK(body.at("error").as_string() == row.sentence);
    CHECK(body.at("code").as_string() == row.name);
    CHECK(body.at("requestId").as_string() == "id-1");
    CHECK(field_of(plain, "WWW-Authenticate").empty() == (row.status != 401));
    CHECK(
        field_of(plain, "Retry-After") ==
        (row.status == 503 || row.code == errc::idempotency_in_progress || row.code == errc::queue_full ? "1" : ""));
    auto const problem = error_response(code, "id-1", true);
    CHECK(problem.content_type == "application/problem+json");
    auto const members = *parse_json(problem.body);
    CHECK(members.as_object().size() == 7);
    CHECK(members.at("type").as_string() == "about:blank");
    CHECK(members.at("title").as_string() == reason_phrase(row.status));
    CHECK(members.at("status").as_int64() == row.status);
    CHECK(members.at("detail").as_string() == row.sentence);
    CHECK(members.at("code").as_string() == row.name);
  }
}

TEST_CASE("error table: own sentence, details and escapes") {
  error const failure(errc::validation_failed, "Say \"please\".", {{"/a", "is\nmissing"}, {"limit", "\xFF"}});
  auto const got = error_response(failure, "\"", false);
  CHECK(got.body ==
        "{\"error\":\"Say \\\"please\\\".\",\"code\":\"validation_failed\",\"requestId\":\"\\\"\",\"details\":["
        "{\"field\":\"/a\",\"message\":\"is\\nmissing\"},{\"field\":\"limit\",\"message\":\"\xEF\xBF\xBD\"}]}");
}

TEST_CASE("error table: challenges") {
  CHECK(field_of(error_response(errc::token_required, "i", false), "WWW-Authenticate") == "Bearer realm=\"svc\"");
  CHECK(field_of(error_response(errc::token_expired, "i", true), "WWW-Authenticate") ==
        "Bearer realm=\"svc\", error=\"invalid_token\", error_description=\"The token has expired; create a new "
        "one.\"");
  // No character in a message can end the quoted string or the field.
  error const hostile(errc::invalid_token, "a\"b\\c\r\nd\xC3\xA4");
  CHECK(field_of(error_response(hostile, "i", false), "WWW-Authenticate") ==
        "Bearer realm=\"svc\", error=\"invalid_token\", error_description=\"a'b'c''d''\"");
}

TEST_CASE("error table: Retry-After") {
  using std::chrono::seconds;
  CHECK(field_of(error_response(errc::overloaded, "i", false, seconds(7)), "Retry-After") == "7");
  CHECK(field_of(error_response(errc::rate_limited, "i", false, seconds(3)), "Retry-After") == "3");
  CHECK(field_of(error_response(errc::rate_limited, "i", false), "Retry-After").empty());
  auto const fields = error_response(errc::unavailable, "i", false, seconds(9)).fields;
  CHECK(fields.size() == 1);
}

TEST_CASE("error table: when problem+json is preferred") {
  struct {
    std::vector<std::string_view> accept;
    bool expected;
  } const cases[] = {
      {{}, false},
      {{"*/*"}, false},
      {{"application/*"}, false},
      {{"application/json"}, false},
      {{"application/problem+json"}, true},
      {{"Application/Problem+JSON"}, true},
      {{"application/problem+json, application/json;q=0.9"}, true},
      {{"application/json, application/problem+json"}, true},
      {{"application/json, application/problem+json;q=0.999"}, false},
      {{"application/problem+json;q=0.5, */*;q=0.4"}, true},
      {{"application/problem+json;q=0.5, */*;q=0.6"}, false},
      {{"application/problem+json;q=0"}, false},
      {{"application/problem+json;q=2"}, false},
      {{"application/json;q=0.1", "application/problem+json;q=0.2"}, true},
      {{"text/html, application/problem+xml"}, false},
  };
  for (auto const& c : cases) {
    INFO((c.accept.empty() ? std::string() : std::string(c.accept.front())));
    CHECK(prefers_problem_json(with_accept(c.accept)) == c.expected);
  }
}
