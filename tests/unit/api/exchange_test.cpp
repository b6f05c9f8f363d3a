#include "svc/api/exchange.hpp"

#include "api/conditional_request.hpp"
#include "svc/api/call.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <algorithm>

using namespace svc;

namespace {

namespace json = boost::json;

std::string field(http::response const& response, std::string_view name) {
  auto const found =
      std::find_if(response.fields.begin(), response.fields.end(), [&](auto const& f) { return f.first == name; });
  return found == response.fields.end() ? std::string() : found->second;
}

/// The shipped document, with one operation deprecated.
std::shared_ptr<http::contract const> test_contract(json::value dates) {
  auto document = json::parse(embedded::openapi_json);
  auto& whoami = document.at("paths").at("/api/auth/whoami").at("get").as_object();
  whoami["deprecated"] = true;
  whoami["x-deprecated"] = std::move(dates);
  return http::contract::load(json::serialize(document));
}

http::response answer(http::contract const& contract, std::string_view method, std::vector<http::field> fields,
                      api::reply made) {
  http::request head{.method = method, .target = "/api/auth/whoami"};
  head.fields = std::move(fields);
  api::exchange x{head, "r"};
  x.route = contract.find(method, {"api", "auth", "whoami"});
  auto out = api::response_of(x, std::move(made));
  api::finish_response(x, out);
  return out;
}

}  // namespace

TEST_CASE("an operation's deprecation in the contract is in each of its answers") {
  auto const loaded = test_contract({{"since", "2026-01-01T00:00:00Z"}, {"sunset", "2027-06-30T12:00:00Z"}});
  auto const got = answer(*loaded, "GET", {}, {.body = {{"id", "1"}}});
  CHECK(field(got, "Deprecation") == "@1767225600");
  CHECK(field(got, "Sunset") == "Wed, 30 Jun 2027 12:00:00 GMT");
  auto const open = answer(*test_contract({{"since", "2026-01-01T00:00:00Z"}}), "GET", {}, {.body = {{"id", "1"}}});
  CHECK(field(open, "Deprecation") == "@1767225600");
  CHECK(field(open, "Sunset").empty());
  CHECK_THROWS(test_contract({{"since", "soon"}}));
  CHECK_THROWS(test_contract({{"since", "2026-01-01T00:00:00Z"}, {"sunset", "2025-01-01T00:00:00Z"}}));
}

TEST_CASE("a request's id is the client's if that is valid, otherwise a new one") {
  struct {
    char const* name;
    std::vector<http::field> fields;
    char const* kept;  ///< empty: none
  } const cases[] = {
      {"one", {{"X-Request-Id", "build-42"}}, "build-42"},
      {"none", {}, ""},
      {"with a space", {{"X-Request-Id", "a b"}}, ""},
      {"two", {{"X-Request-Id", "a"}, {"x-request-id", "b"}}, ""},
      {"one twice", {{"X-Request-Id", "a"}, {"X-Request-Id", "a"}}, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    http::request head;
    head.fields = c.fields;
    auto const id = api::request_id_of(head);
    if (*c.kept != '\0') CHECK(id == c.kept);
    if (*c.kept == '\0') CHECK(id.size() == 36);
  }
}

TEST_CASE("a tag has the version and a hash of the content") {
  CHECK(api::entity_tag_of(3, "a").starts_with("\"3-"));
  CHECK(api::entity_tag_of(3, "a") != api::entity_tag_of(3, "b"));
  CHECK(api::entity_tag_of(3, "a") != api::entity_tag_of(4, "a"));
}

TEST_CASE("large answers are encoded when the client accepts it, except those that must not be stored") {
  auto const loaded = http::contract::load(embedded::openapi_json);
  std::vector<http::field> const asks{{"Accept-Encoding", "gzip"}};
  json::value const large{{"id", std::string(2000, 'x')}};
  auto const plain = answer(*loaded, "GET", {}, {.body = large});
  CHECK(field(plain, "Vary") == "Accept-Encoding");
  CHECK(field(plain, "Content-Encoding").empty());
  auto const encoded = answer(*loaded, "GET", asks, {.body = large});
  CHECK(field(encoded, "Content-Encoding") == "gzip");
  CHECK(field(encoded, "ETag") == api::encoded_tag(field(plain, "ETag")));
  for (auto const& got : {answer(*loaded, "GET", asks, {.body = {{"id", "x"}}}),
                          answer(*loaded, "GET", asks, {.body = large, .secret = true}),
                          answer(*loaded, "GET", asks, {.status = 201, .body = large})}) {
    CHECK(field(got, "Content-Encoding").empty());
    CHECK(field(got, "Vary").empty());
  }
  // A body that was not made because the client has it counts as the large one that it is.
  api::reply const unmade{.etag = field(plain, "ETag"), .unchanged = true};
  for (auto const& known : {field(plain, "ETag"), field(encoded, "ETag")}) {
    auto fields = asks;
    fields.push_back({"If-None-Match", known});
    for (auto const& made : {api::reply{.body = large}, unmade}) {
      auto const got = answer(*loaded, "GET", fields, made);
      CHECK(got.status == 304);
      CHECK(field(got, "ETag") == field(encoded, "ETag"));
      CHECK(field(got, "Vary") == "Accept-Encoding");
      CHECK(field(got, "Content-Encoding").empty());
      CHECK(got.content_type.empty());
      CHECK(got.body.empty());
    }
  }
}
