#include "svc/http/json.hpp"

#include <doctest/doctest.h>

using namespace svc::http;

TEST_CASE("one text for all spellings of a value") {
  struct {
    char const* text;
    char const* canonical;
  } const cases[] = {
      {R"({})", R"({})"},
      {R"([])", R"([])"},
      {R"( { "b" : 1 , "a" : [ {"d":1,"c":2} , 3.0 ] } )", R"({"a":[{"c":2,"d":1},3],"b":1})"},
      {R"({"a":[{"c":2,"d":1e0},3],"b":1})", R"({"a":[{"c":2,"d":1},3],"b":1})"},
      {R"({"parameters":{"B":"x","A":"\u0041"}})", R"({"parameters":{"A":"A","B":"x"}})"},
      {R"(["b","a"])", R"(["b","a"])"},
      {R"({"aa":null,"a":true,"A":"\""})", R"({"A":"\"","a":true,"aa":null})"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(canonical_json(parse_json(c.text).value()) == c.canonical);
  }
}
