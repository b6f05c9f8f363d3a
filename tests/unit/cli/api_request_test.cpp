#include "cli/commands/api_request.hpp"

#include "cli/console/failure.hpp"
#include "cli/http/message.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc::cli;

TEST_CASE("paths below the address") {
  struct row {
    std::string target;
    bool good;
  };
  std::vector<row> const table{
      {"/", true},
      {"/api/jobs", true},
      {"/api/jobs?search=a%20b&page=2", true},
      {"/api/jobs?search=../x", true},
      {"/api/a..b", true},
      {"/api/...", true},
      {"/api/%2Fx", true},
      {"", false},
      {"api", false},
      {"https://other.example/", false},
      {"//other.example", false},
      {"/api/..", false},
      {"/api/../x", false},
      {"/api/./x", false},
      {"/api/%2e%2E/x", false},
      {"/api/.%2e", false},
      {"/api/%252e%252e/x", false},
      {"/api/a b", false},
      {"/api/a\r\nX: y", false},
      {"/api\\..\\x", false},
      {"/api/ü", false},
      {"/api#x", false},
      {std::string("/a\0b", 4), false},
  };
  for (auto const& each : table) {
    CAPTURE(each.target);
    if (each.good) {
      CHECK(api_request({.method = "GET", .target = each.target}).target == each.target);
    } else {
      CHECK_THROWS_AS(api_request({.method = "GET", .target = each.target}), failure);
    }
  }
}

TEST_CASE("fields that may be given") {
  struct row {
    std::string field;
    bool good;
  };
  std::vector<row> const table{
      {"Accept: text/plain", true},
      {"X-Empty:", true},
      {"X-Tab:\ta\tb", true},
      {"X-Text: ü", true},
      {"Prefer:wait=5", true},
      {"no colon", false},
      {": no name", false},
      {"Sp ace: x", false},
      {"X: a\r\nAuthorization: b", false},
      {"authorization: x", false},
      {"Proxy-Authorization: x", false},
      {"HOST: x", false},
      {"Content-Length: 5", false},
      {"Transfer-Encoding: chunked", false},
      {"Cookie: a=b", false},
  };
  for (auto const& each : table) {
    CAPTURE(each.field);
    if (each.good) {
      CHECK(api_request({.method = "GET", .target = "/", .fields = {each.field}}).fields.size() == 1);
    } else {
      CHECK_THROWS_AS(api_request({.method = "GET", .target = "/", .fields = {each.field}}), failure);
    }
  }
}

TEST_CASE("bodies, methods and keys") {
  CHECK(api_request({.method = "post", .target = "/", .members = {"a=b=c", "d="}}).body == R"({"a":"b=c","d":""})");
  CHECK(api_request({.method = "Patch", .target = "/", .body = "x"}).method == "PATCH");
  CHECK_THROWS_AS(api_request({.method = "GRAB", .target = "/"}), failure);
  CHECK_THROWS_AS(api_request({.method = "GET", .target = "/", .body = "x"}), failure);
  CHECK_THROWS_AS(api_request({.method = "POST", .target = "/", .members = {"a"}}), failure);
  CHECK_THROWS_AS(api_request({.method = "POST", .target = "/", .members = {"a=b"}, .body = "x"}), failure);
  auto const request = api_request({.method = "POST", .target = "/", .idempotency_key = "auto"});
  auto const two = api_request({.method = "POST", .target = "/", .idempotency_key = "auto"});
  CHECK(request.fields.at(0).first == "Idempotency-Key");
  CHECK(request.fields.at(0).second != two.fields.at(0).second);
  CHECK(api_request({.method = "POST", .target = "/", .idempotency_key = "mine"}).fields.at(0).second == "mine");
}

TEST_CASE("queries are percent-encoded, and values that are empty are left out") {
  CHECK(target_with_query("/api/jobs", {}) == "/api/jobs");
  CHECK(target_with_query("/api/jobs", {{"search", "a b&c=ü"}, {"status", ""}, {"page", "2"}}) ==
        "/api/jobs?search=a%20b%26c%3D%C3%BC&page=2");
}
