#include "svc/http/json_reader.hpp"

#include "http/contract_schema.hpp"
#include "json_reading.hpp"
#include "svc/http/json.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <string>
#include <string_view>

namespace svc::http {
namespace {

namespace json = boost::json;

TEST_CASE("json reader: values of a document are counted, wherever they are") {
  struct {
    std::string_view text;
    std::size_t values;
  } const cases[] = {
      {"1", 1},
      {"\"a\"", 1},
      {"[]", 1},
      {"[1,true]", 3},
      {"[null,\"\",[]]", 4},
      {"{\"a\":1,\"b\":{\"c\":[2]}}", 5},
      {"[[[[]]]]", 4},
      {"{}", 1},
      {" [ 1.5 , -2e3 ] ", 3},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    for (std::size_t step = 1; step <= c.text.size(); ++step) {
      CHECK(parse_cut(c.text, step, step, c.values).has_value());
      auto const refused = parse_cut(c.text, step, step, c.values - 1);
      REQUIRE(refused.has_error());
      CHECK(refused.error().code == errc::malformed_json);
      auto const sentence = "at most " + std::to_string(c.values - 1) + " values; there is one more at line 1";
      CHECK(refused.error().message.find(sentence) != std::string::npos);
    }
  }
}

constexpr std::string_view shapes = R"({"components":{"schemas":{"X":{
  "type":"object","additionalProperties":false,"properties":{
    "few":{"type":"array","maxItems":2,"items":{"type":"string"}},
    "rows":{"type":"array","maxItems":3,"items":{
      "type":"object","additionalProperties":false,"properties":{"n":{"type":"integer"}}}},
    "map":{"type":"object","additionalProperties":{"type":"string"}},
    "free":{"type":"object"},
    "text":{"type":["string","null"]}}}}}})";

TEST_CASE("json reader: values that the contract forbids are not built, and judged as if they were") {
  struct {
    std::string_view name, text, built;
  } const cases[] = {
      {"allowed", R"({"few":["a","b"],"rows":[{"n":1}],"map":{"x":"y"},"free":{"x":[[1]]},"text":null})",
       R"({"few":["a","b"],"rows":[{"n":1}],"map":{"x":"y"},"free":{"x":[[1]]},"text":null})"},
      {"unknown members", R"({"zz":[0,0,{"a":[1]}],"text":"t","yy":{"b":"c"}})",
       R"({"zz":null,"text":"t","yy":null})"},
      {"too many elements", R"({"few":["a","b","c","d","e"],"rows":[{},{},{},{"n":9},{"n":9}]})",
       R"({"few":["a","b","c"],"rows":[{},{},{},{"n":9}]})"},
      {"unknown deeper down", R"({"rows":[{"zz":[1,2]}]})", R"({"rows":[{"zz":null}]})"},
      {"array for a string", R"({"text":[1,[2]]})", R"({"text":[]})"},
      {"object for an array", R"({"few":{"a":{"b":1}}})", R"({"few":{}})"},
      {"array for a map's value", R"({"map":{"a":["b"]}})", R"({"map":{"a":[]}})"},
      {"array for the document", R"([1,[2],{"a":3}])", R"([])"},
      {"names in what is skipped", R"({"zz":{"a":1,"a":2}})", R"({"zz":null})"},
  };
  auto const document = json::parse(shapes);
  schema_set const set(document);
  auto const* const shape = set.component("X");
  for (auto const& c : cases) {
    CAPTURE(c.name);
    for (std::size_t step = 1; step <= c.text.size(); ++step) {
      auto const got = parse_cut(c.text, step, step, json_reader::any_number, shape);
      REQUIRE(got.has_value());
      CHECK(to_json(*got) == c.built);
    }
    // Boost.JSON takes the last of two members with one name.
    auto const whole = validate(*shape, json::parse(c.text), {});
    auto const built = validate(*shape, json::parse(c.built), {});
    REQUIRE(built.size() == whole.size());
    for (std::size_t i = 0; i < built.size(); ++i) {
      CHECK(built[i].field == whole[i].field);
      CHECK(built[i].message == whole[i].message);
    }
  }
}

TEST_CASE("json reader: a string that is too long is built only as far as shows that") {
  auto const document = json::parse(R"({"components":{"schemas":{"X":{"type":"string","x-max-bytes":1000}}}})");
  schema_set const set(document);
  auto const* const shape = set.component("X");
  for (std::size_t const size : {999UL, 1000UL, 1001UL, 100'000UL}) {
    auto const got = parse_cut('"' + std::string(size, 'x') + '"', 100, 100, 1, shape);
    REQUIRE(got.has_value());
    CHECK(validate(*shape, *got, {}).empty() == (size <= 1000));
    if (size <= 1000) CHECK(got->as_string().size() == size);
    CHECK(got->as_string().size() <= 1200);
  }
}

TEST_CASE("json reader: skipped values are counted and checked like all others") {
  auto const document = json::parse(shapes);
  schema_set const set(document);
  auto const* const shape = set.component("X");
  auto const refused = [&](std::string const& text, std::size_t values) {
    auto const got = parse_cut(text, 5, 5, values, shape);
    return got ? std::string() : got.error().message;
  };
  CHECK(refused(R"({"zz":[1,2,3]})", 5).empty());
  CHECK(refused(R"({"zz":[1,2,3]})", 4).find("at most 4 values") != std::string::npos);
  CHECK(refused(R"({"zz":[1,2,3})", 100).find("A comma or \"]\" is missing") != std::string::npos);
  CHECK(refused(R"({"zz":")"
                "\xFF"
                R"("})",
                100)
            .find("Invalid UTF-8") != std::string::npos);
  CHECK(refused("{\"zz\":" + std::string(32, '[') + std::string(32, ']') + "}", 100).find("32 levels") !=
        std::string::npos);
}

}  // namespace
}  // namespace svc::http
