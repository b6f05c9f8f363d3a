#include "api/checked_body.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

namespace svc::api {
namespace {

// The object cases of RFC 7396, appendix A, and its rules in prose.
TEST_CASE("merge patches of RFC 7396") {
  struct {
    char const* target;
    char const* patch;
    char const* expected;
  } const cases[] = {
      {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
      {R"({"a":"b"})", R"({"a":null})", R"({})"},
      {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
      {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
      {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
      {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
      {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
      {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
      {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
      {R"({"a":"b"})", R"({})", R"({"a":"b"})"},
      {R"({"a":1})", R"({"a":{"b":null,"c":2}})", R"({"a":{"c":2}})"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.target);
    CAPTURE(c.patch);
    auto const merged =
        merge_patch(boost::json::parse(c.target).as_object(), boost::json::parse(c.patch).as_object());
    CHECK(boost::json::value(merged) == boost::json::parse(c.expected));
  }
}

}  // namespace
}  // namespace svc::api
