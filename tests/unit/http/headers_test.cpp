#include "svc/http/headers.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc;
using namespace svc::http;

namespace {

request with(std::string_view name, std::vector<std::string_view> const& values) {
  request head;
  head.fields.push_back({"Host", "a"});
  for (auto const value : values) head.fields.push_back({name, value});
  return head;
}

std::string join(std::string_view list, std::optional<std::string_view> (*next)(std::string_view&)) {
  std::string out;
  while (auto const part = next(list)) out += "[" + std::string(*part) + "]";
  return out;
}

}  // namespace

TEST_CASE("headers: request id") {
  std::string const longest(128, 'a');
  for (std::string const& good : {std::string("a"), std::string("aZ09._:/-"), longest}) CHECK(valid_request_id(good));
  for (std::string const& bad :
       {std::string(), longest + "a", std::string("a b"), std::string("a~"), std::string("a\""),
        std::string("a\xC3\xA4"), std::string("a\n"), std::string("a,b")}) {
    INFO(bad);
    CHECK_FALSE(valid_request_id(bad));
  }
}

TEST_CASE("headers: bearer credential") {
  using kind = bearer::kind;
  struct {
    std::vector<std::string_view> values;
    kind expected;
    std::string_view token;
  } const cases[] = {
      {{}, kind::none, ""},
      {{"Bearer svc_live_a"}, kind::token, "svc_live_a"},
      {{"bEARER   a-._~+/0=="}, kind::token, "a-._~+/0=="},
      {{"Bearer"}, kind::unreadable, ""},
      {{"Bearer "}, kind::unreadable, ""},
      {{"Bearer =="}, kind::unreadable, ""},
      {{"Bearer a b"}, kind::unreadable, ""},
      {{"Bearer a=b"}, kind::unreadable, ""},
      {{"Bearer a,b"}, kind::unreadable, ""},
      {{"Bearer\ta"}, kind::unreadable, ""},
      {{"Bearer \xC3\xA4"}, kind::unreadable, ""},
      {{"Bearera"}, kind::unreadable, ""},
      {{"Basic dTpw"}, kind::unreadable, ""},
      {{""}, kind::unreadable, ""},
      {{"Bearer a", "Bearer a"}, kind::repeated, ""},
  };
  for (auto const& c : cases) {
    INFO((c.values.empty() ? std::string() : std::string(c.values.front())));
    auto const got = read_bearer(with("AUTHORIZATION", c.values));
    CHECK(got.content == c.expected);
    CHECK(got.token == c.token);
  }
}

TEST_CASE("headers: the trace of a request, unless there are two or a bad one") {
  std::string const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  request head;
  CHECK_FALSE(trace_of(head));
  head.fields.push_back({"TraceParent", good});
  CHECK(trace_of(head)->to_string() == good);
  head.fields.push_back({"traceparent", good});
  CHECK_FALSE(trace_of(head));
  head.fields = {{"traceparent", good.substr(1)}};
  CHECK_FALSE(trace_of(head));
}

TEST_CASE("headers: JSON media types") {
  for (std::string_view const good :
       {"application/json", "Application/JSON", "application/json;charset=utf-8",
        "application/json ; Charset=\"UTF-8\"", "application/merge-patch+json", "application/a+b+json; charset=UTF-8",
        "application/json; profile=\"a;charset=x\"", "application/json;"}) {
    INFO(good);
    CHECK(is_json_media_type(good));
  }
  for (std::string_view const bad :
       {"", ";", "json", "text/json", "text/plain", "application/", "application/+json", "application/jsonp",
        "application/json charset=utf-8", "application/json;charset=latin1", "application/json;charset=",
        "application/json;charset", "application/json;charset=utf-8,x", "application/a b+json",
        "application/json, text/plain", "application/json;=x", "application/x-www-form-urlencoded"}) {
    INFO(bad);
    CHECK_FALSE(is_json_media_type(bad));
  }
}

TEST_CASE("headers: content without a coding") {
  std::vector<std::vector<std::string_view>> const plain = {
      {}, {""}, {"identity"}, {"Identity , identity"}, {",", "identity"}};
  for (auto const& values : plain) CHECK(is_plain_content(with("content-encoding", values)));
  std::vector<std::vector<std::string_view>> const encoded = {
      {"gzip"}, {"GZIP"}, {"x-nonsense"}, {"identity, br"}, {"identity", "gzip"}, {"identity;q=1"}, {"\"identity\""}};
  for (auto const& values : encoded) {
    INFO(values.back());
    CHECK_FALSE(is_plain_content(with("Content-Encoding", values)));
  }
}

TEST_CASE("headers: lists") {
  struct {
    std::string_view list;
    std::string_view expected;
  } const cases[] = {
      {"", ""},
      {" , ,\t", ""},
      {"a", "[a]"},
      {" a ,b,, c d ", "[a][b][c d]"},
      {"a=\"x,y\",b", "[a=\"x,y\"][b]"},
      {"\"a\\\",b\",c", "[\"a\\\",b\"][c]"},
      {"\"open, a", "[\"open, a]"},
      {"\"\\", "[\"\\]"},
  };
  for (auto const& c : cases) {
    INFO(c.list);
    CHECK(join(c.list, next_element) == c.expected);
  }
  CHECK(join("a ; b=\";\";c", next_parameter) == "[a][b=\";\"][c]");
}

TEST_CASE("headers: weights of Accept") {
  struct {
    std::vector<std::string_view> accept;
    int expected;  ///< of text/html
  } const cases[] = {
      {{}, 1000},
      {{""}, 0},
      {{"text/html"}, 1000},
      {{"TEXT/HTML;Q=0.5"}, 500},
      {{"text/*;q=0.25"}, 250},
      {{"*/*;q=0.001"}, 1},
      {{"*/html"}, 0},
      {{"text/html;q=0"}, 0},
      {{"text/html;q=1.000"}, 1000},
      {{"text/html;q=0."}, 0},
      {{"text/html;q=1.001"}, 0},
      {{"text/html;q=0.1234"}, 0},
      {{"text/html;q=.5"}, 0},
      {{"text/html;q=-1"}, 0},
      {{"text/html;q=0.x"}, 0},
      {{"text/html;q="}, 0},
      {{"text/html;level=1;q=0.4"}, 400},
      {{"*/*, text/*;q=0.5, text/html;q=0.1"}, 100},
      {{"text/html;q=0.1, */*"}, 100},
      {{"*/*;q=0.9", "text/html;q=0.2"}, 200},
      {{"rubbish, text/html"}, 1000},
  };
  for (auto const& c : cases) {
    INFO((c.accept.empty() ? std::string() : std::string(c.accept.front())));
    CHECK(accept_quality(with("accept", c.accept), "text", "html", wildcards::counted) == c.expected);
  }
  CHECK(accept_quality(with("accept", {"text/*"}), "text", "html", wildcards::ignored) == 0);
  CHECK(accept_quality(with("accept", {}), "text", "html", wildcards::ignored) == 0);
  CHECK(accept_quality(with("accept", {"text/html;q=0.3, */*"}), "text", "html", wildcards::ignored) == 300);
}

TEST_CASE("headers: negotiation") {
  std::vector<std::string_view> const offers = {"application/json", "application/yaml"};
  CHECK(negotiate(with("accept", {}), offers) == "application/json");
  CHECK(negotiate(with("accept", {"*/*"}), offers) == "application/json");
  CHECK(negotiate(with("accept", {"application/yaml, */*;q=0.1"}), offers) == "application/yaml");
  CHECK(negotiate(with("accept", {"application/json;q=0.1, application/yaml;q=0.2"}), offers) == "application/yaml");
  CHECK_FALSE(negotiate(with("accept", {"text/html"}), offers));
}

TEST_CASE("headers: entity tags that can be read") {
  struct {
    std::vector<std::string_view> values;
    bool any;
    std::size_t count;
    bool strong_a;  ///< whether "a" matches strongly
    bool weak_a;
  } const cases[] = {
      {{"*"}, true, 0, true, true},
      {{"\"a\""}, false, 1, true, true},
      {{"W/\"a\""}, false, 1, false, true},
      {{"\"b\" , W/\"c\",, \"a\""}, false, 3, true, true},
      {{"\"b\"", "\"a\""}, false, 2, true, true},
      {{"\"\""}, false, 1, false, false},
      {{"\"A\""}, false, 1, false, false},
      {{"\"b,\\\", \"a\""}, false, 2, true, true},
  };
  for (auto const& c : cases) {
    INFO(c.values.front());
    auto const got = read_entity_tags(with("if-match", c.values), "If-Match");
    REQUIRE(got.has_value());
    REQUIRE(got->has_value());
    auto const& tags = **got;
    CHECK(tags.any == c.any);
    CHECK(tags.tags.size() == c.count);
    CHECK(tags.match_strong("a") == c.strong_a);
    CHECK(tags.match_weak("a") == c.weak_a);
  }
  auto const none = read_entity_tags(with("if-match", {}), "If-Match");
  REQUIRE(none.has_value());
  CHECK_FALSE(none->has_value());
}

TEST_CASE("headers: entity tags that cannot be read") {
  std::vector<std::vector<std::string_view>> const cases = {
      {""},        {","},        {"a"},          {"\"a"},   {"w/\"a\""}, {"W/a"}, {"\"a\" \"b\""},
      {"\"a b\""}, {"*, \"a\""}, {"\"a\"", "*"}, {"*", "*"}};
  for (auto const& values : cases) {
    INFO(values.front());
    auto const got = read_entity_tags(with("if-match", values), "If-Match");
    REQUIRE(got.has_error());
    CHECK(got.error().code == errc::malformed_request);
  }
}
