#include "svc/domain/monitoring/checks/json_path.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>

namespace svc::checks {
namespace {

namespace json = boost::json;

std::string selected(std::string const& text, std::string const& path) {
  auto const parsed = json_path::parse(path);
  if (!parsed) return parsed.error().message;
  auto const root = json::parse(text);
  auto const found = parsed->select(root);
  if (found.too_many) return "too many";
  std::string out;
  for (auto const* each : found.nodes) out += (out.empty() ? "" : " ") + json::serialize(*each);
  return out;
}

TEST_CASE("the values that a JSONPath selects (RFC 9535)") {
  struct {
    std::string text, path, nodes;
  } const cases[] = {
      {R"({"a":1})", "$", R"({"a":1})"},
      {R"({"a":1})", "$.a", "1"},
      {R"({"a":1})", "$['a']", "1"},
      {R"({"a":1})", R"($["a"])", "1"},
      {R"({"a":1})", "$.b", ""},
      {R"({"a":null})", "$.a", "null"},
      {R"({"a":{"b":[1,2,{"c":3}]}})", "$.a.b[2].c", "3"},
      {"[1,2,3]", "$[0]", "1"},
      {"[1,2,3]", "$[-1]", "3"},
      {"[1,2,3]", "$[-3]", "1"},
      {"[1,2,3]", "$[-4]", ""},
      {"[1,2,3]", "$[3]", ""},
      {"[1,2,3]", "$.a", ""},
      {R"({"0":1})", "$[0]", ""},
      {R"({"0":1})", "$['0']", "1"},
      {"[1,2,3]", "$[*]", "1 2 3"},
      {R"({"x":1,"y":2})", "$.*", "1 2"},
      {R"([{"a":1},{"b":2},{"a":3}])", "$[*].a", "1 3"},
      {R"([{"a":1},{"b":2}])", "$.*.*", "1 2"},
      {R"({"a":"text"})", "$.a[0]", ""},
      {R"({"a":"text"})", "$.a.*", ""},
      {R"({"a b":1})", "$['a b']", "1"},
      {R"({"'":1})", R"($['\''])", "1"},
      {R"({"\"":1})", R"($["\""])", "1"},
      {R"({"\\":1})", R"($['\\'])", "1"},
      {R"({"é":1})", "$.é", "1"},
      {R"({"é":1})", R"($['\u00e9'])", "1"},
      {R"({"😀":1})", R"($["\uD83D\uDE00"])", "1"},
      {R"({"\t":1})", R"($['\t'])", "1"},
      {R"({"":1})", "$['']", "1"},
      {R"({"a":{"b":1}})", "$ .a\n[ 'b' ]", "1"},
      {R"({"_a1":1})", "$._a1", "1"},
      {"[1]", "$[9007199254740991]", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.path);
    CHECK(selected(c.text, c.path) == c.nodes);
  }
}

TEST_CASE("unsupported JSONPaths, and the reasons") {
  struct {
    std::string path, says;
  } const cases[] = {
      {"", "must begin with $, at character 1"},
      {"a", "must begin with $"},
      {"$a", "must go on with . or [, at character 2"},
      {"$.", "must have a name"},
      {"$.1", "must have a name"},
      {"$.-a", "must have a name"},
      {"$..a", "must not have .., which is not supported"},
      {"$...a", "must not have .."},
      {"$[", "must have 'name', an index or *"},
      {"$[]", "must have 'name'"},
      {"$[a]", "must have 'name'"},
      {"$[0", "must have ]"},
      {"$[-0]", "must have 'name'"},
      {"$[01]", "must have 'name'"},
      {"$[-]", "must have 'name'"},
      {"$[1.0]", "must have ]"},
      {"$[9007199254740992]", "must have 'name'"},
      {"$[-9007199254740992]", "must have 'name'"},
      {"$[99999999999999999999]", "must have 'name'"},
      {"$[1:2]", "must not have slices"},
      {"$[:2]", "must not have slices"},
      {"$[0,1]", "must have one selector"},
      {"$[?@.a]", "must not have filters"},
      {"$['a]", "must have the closing quote"},
      {"$['a\"]", "must have the closing quote"},
      {R"($['\"'])", "must not have such an escape"},
      {R"($['\x41'])", "must not have such an escape"},
      {R"($['\ud83d'])", "must not have such an escape"},
      {R"($['\ude00'])", "must not have such an escape"},
      {R"($['\u00g0'])", "must not have such an escape"},
      {"$['a\nb']", "must spell control characters"},
      {"$['\xff']", "must be UTF-8"},
      {"$.\xff", "must be UTF-8"},
      {"$.a ", "must go on with . or ["},
      {" $.a", "must begin with $"},
      {std::string("$\0", 2), "must go on"},
      {"$" + std::string(1000, ' '), "must have at most 1000 bytes"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.path);
    auto const parsed = json_path::parse(c.path);
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error().message.find(c.says) != std::string::npos);
  }
}

TEST_CASE("a JSONPath has at most 20 steps and leads to at most 1000 nodes") {
  std::string path = "$";
  for (int i = 0; i < 20; ++i) path += "[0]";
  CHECK(json_path::parse(path).has_value());
  path += "[0]";
  REQUIRE_FALSE(json_path::parse(path).has_value());
  CHECK(json_path::parse(path).error().message.find("at most 20 steps") != std::string::npos);

  std::string list = "[0";
  for (int i = 1; i < 1000; ++i) list += ",0";
  CHECK(selected(list + "]", "$[*]").size() == 1999);
  CHECK(selected(list + ",0]", "$[*]") == "too many");
  // Many steps over wide lists: bounded work, and the bound holds for each step.
  CHECK(selected("[" + list + "]," + list + "]]", "$[*][*]") == "too many");
  CHECK(selected("[" + list + "]," + list + "]]", "$[*][0]") == "0 0");
}

}  // namespace
}  // namespace svc::checks
