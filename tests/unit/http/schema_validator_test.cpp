#include "http/contract_schema.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace svc::http {
namespace {

namespace json = boost::json;

json::value document_with(std::string_view schema) {
  return json::object{{"components", json::object{{"schemas", json::object{{"X", json::parse(schema)}}}}}};
}

/// "pointer: message" for each fault, joined by "; ".
std::string faults_of(std::string_view schema, json::value const& value) {
  auto const document = document_with(schema);
  schema_set const set(document);
  std::string text;
  for (auto const& [field, message] : validate(*set.component("X"), value, {})) {
    text += (text.empty() ? "" : "; ") + field + ": " + message;
  }
  return text;
}

struct value_case {
  std::string_view schema;
  std::string_view value;
  std::string_view faults;
};

value_case const value_cases[] = {
    // type
    {R"({"type":"string"})", R"("a")", ""},
    {R"({"type":"string"})", "1", ": must be a string"},
    {R"({"type":["string","null"]})", "null", ""},
    {R"({"type":["string","null"]})", "true", ": must be a string or null"},
    {R"({"type":"integer"})", "1", ""},
    {R"({"type":"integer"})", "18446744073709551615", ""},
    {R"({"type":"integer"})", "1.5", ": must be an integer"},
    {R"({"type":"number"})", "1.5", ""},
    {R"({"type":"number"})", "1", ""},
    {R"({"type":"boolean"})", "\"true\"", ": must be true or false"},
    {R"({"type":"array"})", "{}", ": must be an array"},
    {R"({"type":"object"})", "[]", ": must be an object"},
    {R"({"type":"null"})", "0", ": must be null"},
    // enum, const
    {R"({"type":"string","enum":["a","b"]})", R"("b")", ""},
    {R"({"type":"string","enum":["a","b"]})", R"("c")", ": must be one of: a, b"},
    {R"({"type":["string","null"],"enum":["a",null]})", R"("c")", ": must be one of: a, null"},
    {R"({"type":"string","const":"a"})", R"("A")", ": must be a"},
    {R"({"type":"boolean","const":true})", "false", ": must be true"},
    // numbers
    {R"({"type":"integer","minimum":60,"maximum":62})", "59", ": must be from 60 to 62"},
    {R"({"type":"integer","minimum":60,"maximum":62})", "60", ""},
    {R"({"type":"integer","minimum":60,"maximum":62})", "62", ""},
    {R"({"type":"integer","minimum":60,"maximum":62})", "63", ": must be from 60 to 62"},
    {R"({"type":"integer","minimum":1})", "0", ": must be at least 1"},
    {R"({"type":"integer","maximum":-1})", "0", ": must be at most -1"},
    {R"({"type":"integer","maximum":5})", "18446744073709551615", ": must be at most 5"},
    {R"({"type":"integer","maximum":-5})", "18446744073709551615", ": must be at most -5"},
    {R"({"type":"integer","minimum":5})", "18446744073709551615", ""},
    {R"({"type":"number","minimum":1,"maximum":2})", "0.99", ": must be from 1 to 2"},
    {R"({"type":"number","minimum":1,"maximum":2})", "2.01", ": must be from 1 to 2"},
    {R"({"type":"number","minimum":1,"maximum":2})", "1.5", ""},
    // strings: lengths in code points, bytes on request
    {R"({"type":"string","minLength":1,"maxLength":2})", R"("")", ": must have 1 to 2 characters"},
    {R"({"type":"string","minLength":1,"maxLength":2})", R"("äö")", ""},
    {R"({"type":"string","minLength":1,"maxLength":2})", R"("😀😀")", ""},
    {R"({"type":"string","minLength":1,"maxLength":2})", R"("😀😀a")", ": must have 1 to 2 characters"},
    {R"({"type":"string","minLength":2})", R"("ä")", ": must have at least 2 characters"},
    {R"({"type":"string","maxLength":1})", R"("ab")", ": must have at most 1 characters"},
    {R"({"type":"string","x-max-bytes":2})", R"("ä")", ""},
    {R"({"type":"string","x-max-bytes":2})", R"("äa")", ": must have at most 2 bytes of UTF-8"},
    {R"({"type":"string","pattern":"^a+$"})", R"("aa")", ""},
    {R"({"type":"string","pattern":"^a+$"})", R"("ab")", ": must match ^a+$"},
    {R"({"type":"string","pattern":"^a+$"})", R"("aa\n")", ": must match ^a+$"},
    {R"({"type":"string","pattern":"b"})", R"("abc")", ""},
    {R"({"type":"string","pattern":"^a$","x-message":"must be a"})", R"("b")", ": must be a"},
    {R"({"type":"string","format":"uuid"})", R"("b")", ": must be a UUID"},
    {R"({"type":["string","null"],"format":"uuid"})", "null", ""},
    // arrays
    {R"({"type":"array","minItems":1,"maxItems":2})", "[]", ": must have 1 to 2 items"},
    {R"({"type":"array","minItems":1,"maxItems":2})", "[1,2]", ""},
    {R"({"type":"array","minItems":1,"maxItems":2})", "[1,2,3]", ": must have 1 to 2 items"},
    {R"({"type":"array","items":{"type":"integer"}})", R"([1,"a",2,null])",
     "/1: must be an integer; /3: must be an integer"},
    {R"({"type":"array","maxItems":9,"uniqueItems":true})", R"([{"a":1,"b":2},1,{"b":2,"a":1}])",
     "/2: must not repeat an earlier item"},
    {R"({"type":"array","maxItems":9,"uniqueItems":true})", R"([1,"1",true,null])", ""},
    // objects
    {R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]})", R"({"b":1})", "/a: is required"},
    {R"({"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false})", R"({"b/~":1})",
     "/b~1~0: is not allowed here; allowed are: a"},
    {R"({"type":"object","additionalProperties":false})", R"({"b":1})", "/b: is not allowed here"},
    {R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"b":1,"c":"x"})", "/b: must be a string"},
    {R"({"type":"object","propertyNames":{"type":"string","pattern":"^[A-Z]+$"}})", R"({"b":1,"C":2})",
     "/b: must match ^[A-Z]+$"},
    {R"({"type":"object","minProperties":1})", "{}", ": must have at least 1 members"},
    {R"({"type":"object","maxProperties":1})", R"({"a":1,"b":2})", ": must have at most 1 members"},
    {R"({"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"null"}}}}})",
     R"({"a":{"b":1}})", "/a/b: must be null"},
    {R"({"type":"object","properties":{"a":{"$ref":"#/components/schemas/X"},"n":{"type":"integer"}}})",
     R"({"a":{"a":{"n":"x"}}})", "/a/a/n: must be an integer"},
};

TEST_CASE("each keyword allows and refuses at its boundary") {
  for (auto const& [schema, value, faults] : value_cases) {
    CAPTURE(schema);
    CAPTURE(value);
    CHECK(faults_of(schema, json::parse(value)) == faults);
  }
}

TEST_CASE("validation is bounded in depth, faults and length of pointers") {
  std::string_view const nested = R"({"type":"array","items":{"$ref":"#/components/schemas/X"}})";
  json::value deep = json::array();
  for (int i = 0; i < 64; ++i) deep = json::array{deep};
  CHECK(faults_of(nested, deep).empty());
  CHECK(faults_of(nested, json::array{deep}).ends_with(": is nested too deeply"));

  auto const document = document_with(R"({"type":"array","items":{"type":"null"}})");
  schema_set const set(document);
  json::array wrong(1000, json::value(1));
  CHECK(validate(*set.component("X"), wrong, {}).size() == max_faults);

  std::string const name(126, 'n');
  auto const faults = faults_of(R"({"type":"object","additionalProperties":false})", json::object{{name + "ää", 1}});
  CHECK(faults == "/" + name + "ä...: is not allowed here");
}

TEST_CASE("a pointer can start deeper") {
  auto const document = document_with(R"({"type":"object","properties":{"a":{"type":"null"}}})");
  schema_set const set(document);
  auto const faults = validate(*set.component("X"), json::object{{"a", 1}}, "/config");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].field == "/config/a");
}

struct refused_schema {
  std::string_view schema;
  std::string_view reason;
};

refused_schema const refused[] = {
    {R"({"type":"text"})", "/type: is no type"},
    {R"({"type":[]})", "/type: is empty"},
    {R"({"type":"string","minimum":1})", "/minimum: is not enforced on this type"},
    {R"({"type":"integer","pattern":"a"})", "/pattern: is not enforced on this type"},
    {R"({"type":"object","items":{"type":"null"}})", "/items: is not enforced on this type"},
    {R"({"type":"array","required":[]})", "/required: is not enforced on this type"},
    {R"({"type":"string","format":"email"})", "/format: is not enforced"},
    {R"x({"type":"string","pattern":"(?=a)"})x", "/pattern: is no regular expression of RE2"},
    {R"({"type":"string","x-message":"a"})", "/x-message: needs a pattern"},
    {R"({"type":"string","maxLength":-1})", "/maxLength: must not be negative"},
    {R"({"type":"string","enum":[]})", "/enum: must be a list of values"},
    {R"({"type":"string","enum":["a"],"const":"a"})", "/const: must not be combined with enum"},
    {R"({"type":"array","uniqueItems":true})", "/uniqueItems: needs a small maxItems"},
    {R"({"type":"object","required":["a"]})", "/required: names a member that `properties` lacks"},
    {R"({"type":"integer","minimum":2,"default":1})", "/default: breaks its own schema"},
    {R"({"type":"object","oneOf":[]})", "/oneOf: and discriminator need each other"},
    {R"({"type":"object","properties":{"a":{"type":"nope"}}})", "/X/properties/a/type: is no type"},
};

TEST_CASE("a schema that cannot be enforced as written is refused with its place") {
  for (auto const& [schema, reason] : refused) {
    CAPTURE(schema);
    auto const document = document_with(schema);
    std::string message;
    try {
      schema_set const set(document);
    } catch (std::runtime_error const& e) {
      message = e.what();
    }
    CHECK(message.starts_with("contract: /components/schemas/X"));
    CHECK(message.ends_with(reason));
  }
}

}  // namespace
}  // namespace svc::http
