#include "svc/http/json.hpp"
#include "json_reading.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <cmath>
#include <limits>
#include <string>

using namespace svc;
using namespace svc::http;
namespace json = boost::json;

namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

/// Checks that the verdict is the same however the text is cut.
result<json::value> parse_each_cut(std::string const& text) {
  auto whole = parse_json(text);
  auto const check = [&](std::size_t first, std::size_t step) {
    auto const got = parse_cut(text, first, step);
    CAPTURE(first);
    CAPTURE(step);
    REQUIRE(got.has_value() == whole.has_value());
    if (got) {
      CHECK(*got == *whole);
    } else {
      CHECK(got.error().message == whole.error().message);
    }
  };
  for (std::size_t const step : {1, 2, 3, 7, 1000}) check(step, step);
  for (std::size_t first = 0; text.size() < 2000 && first <= text.size(); ++first) check(first, text.size() + 1);
  return whole;
}

std::string object_of(std::size_t members) {
  std::string out = "{";
  for (std::size_t i = 0; i < members; ++i) out += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  return out + "}";
}

}  // namespace

TEST_CASE("json: values are read back as they are written") {
  struct {
    std::string text;
    std::string expected;
  } const cases[] = {
      {"null", "null"},
      {" \t\r\n true ", "true"},
      {"false", "false"},
      {"\"\"", "\"\""},
      {"[]", "[]"},
      {"[ 1 , [ ] , { } ]", "[1,[],{}]"},
      {"{ \"a\" : { \"b\" : [ null ] } , \"\" : 1 }", "{\"a\":{\"b\":[null]},\"\":1}"},
      {R"("\" \\ \/ \b \f \n \r \t \u0041 \u00e4 \u20AC \ud83D\uDE00")",
       "\"\\\" \\\\ / \\u0008 \\u000c \\n \\r \\t A \xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80\""},
      {"\"\xC3\xA4\xEF\xBF\xBF\xF4\x8F\xBF\xBF\"", "\"\xC3\xA4\xEF\xBF\xBF\xF4\x8F\xBF\xBF\""},
      {"\"\\u001f\x7F\"", "\"\\u001f\\u007f\""},
  };
  for (auto const& c : cases) {
    INFO(c.text);
    auto const got = parse_each_cut(c.text);
    REQUIRE(got.has_value());
    CHECK(to_json(*got) == c.expected);
    CHECK(*got == json::parse(c.text));
  }
}

TEST_CASE("json: a number is an integer when its value is one") {
  auto const integer = [](std::int64_t i) { return json::value(i); };
  auto const real = [](double d) { return json::value(d); };
  struct {
    std::string text;
    json::value expected;
  } const cases[] = {
      {"0", integer(0)},
      {"-0", integer(0)},
      {"-0.0", integer(0)},
      {"0e999999999999999999999", integer(0)},
      {"3600", integer(3600)},
      {"3600.0", integer(3600)},
      {"36e2", integer(3600)},
      {"36E+2", integer(3600)},
      {"360000e-2", integer(3600)},
      {"0.36e4", integer(3600)},
      {"3600.5", real(3600.5)},
      {"36e-1", real(3.6)},
      {"-1.5e1", integer(-15)},
      {"1e18", integer(1'000'000'000'000'000'000)},
      {"1e19", real(1e19)},
      {"9223372036854775807", integer(std::numeric_limits<std::int64_t>::max())},
      {"9223372036854775807.000", integer(std::numeric_limits<std::int64_t>::max())},
      {"9223372036854775808", real(9223372036854775808.0)},
      {"-9223372036854775808", integer(std::numeric_limits<std::int64_t>::min())},
      {"-9223372036854775809", real(-9223372036854775808.0)},
      {"9007199254740993.0", integer(9007199254740993)},
      {"18446744073709551615", real(18446744073709551615.0)},
      {"0.1", real(0.1)},
      {"1.7976931348623157e308", real(std::numeric_limits<double>::max())},
      {"5e-324", real(std::numeric_limits<double>::denorm_min())},
      {"1e-400", real(0.0)},
      {"-1e-99999999999999999999", real(-0.0)},
      {"0." + std::string(400, '0') + "1e401", integer(1)},
      {"1" + std::string(400, '0') + "e-400", integer(1)},
      {"100000000000000000000000000000000000000000000000.5e-46",
       real(100000000000000000000000000000000000000000000000.5e-46)},
  };
  for (auto const& c : cases) {
    INFO(c.text);
    auto const got = parse_each_cut(c.text);
    REQUIRE(got.has_value());
    CHECK(got->kind() == c.expected.kind());
    CHECK(*got == c.expected);
    CHECK(same(*parse_json(to_json(*got)), c.expected));
  }
}

TEST_CASE("json: refused texts, and the position") {
  struct {
    std::string name;
    std::string text;
    std::string expected;
  } const cases[] = {
      {"nothing", "", "A value is missing at line 1, column 1 (offset 0)"},
      {"white space", " \n ", "A value is missing at line 2, column 2 (offset 3)"},
      {"byte order mark", "\xEF\xBB\xBF{}", "A byte order mark is not accepted at line 1, column 1 (offset 0)"},
      {"form feed", "\f1", "Not a JSON value at line 1, column 1 (offset 0)"},
      {"text after it", "{}\n x", "Unexpected text after the JSON value at line 2, column 2 (offset 4)"},
      {"two values", "1 2", "Unexpected text after the JSON value at line 1, column 3 (offset 2)"},
      {"NUL after it", std::string("1\0", 2), "Unexpected text after the JSON value at line 1, column 2 (offset 1)"},
      {"comma after it", "{},", "Unexpected text after the JSON value at line 1, column 3 (offset 2)"},
      {"comment", "[1/**/]", "A comma or \"]\" is missing at line 1, column 3 (offset 2)"},
      {"trailing comma", "[1,]", "Not a JSON value at line 1, column 4 (offset 3)"},
      {"trailing comma in an object", "{\"a\":1,}",
       "A member name in double quotes is missing at line 1, column 8 (offset 7)"},
      {"open array", "[1", "A comma or \"]\" is missing at line 1, column 3 (offset 2)"},
      {"open object", "{\"a\":1", "A comma or \"}\" is missing at line 1, column 7 (offset 6)"},
      {"no colon", "{\"a\" 1}", "A colon is missing at line 1, column 6 (offset 5)"},
      {"no value", "{\"a\":}", "Not a JSON value at line 1, column 6 (offset 5)"},
      {"name without quotes", "{a:1}", "A member name in double quotes is missing at line 1, column 2 (offset 1)"},
      {"upper-case literal", "TRUE", "Not a JSON value at line 1, column 1 (offset 0)"},
      {"cut literal", "tru", "Not a JSON value at line 1, column 1 (offset 0)"},
      {"NaN", "NaN", "Not a JSON value at line 1, column 1 (offset 0)"},
      {"Infinity", "-Infinity", "Not a JSON value at line 1, column 1 (offset 0)"},
      {"leading zero", "012", "Unexpected text after the JSON value at line 1, column 2 (offset 1)"},
      {"plus", "+1", "Not a JSON value at line 1, column 1 (offset 0)"},
      {"no digit after the point", "1.", "A digit is missing after the decimal point at line 1, column 3 (offset 2)"},
      {"no digit before the point", ".5", "Not a JSON value at line 1, column 1 (offset 0)"},
      {"no exponent", "1e", "A digit is missing in the exponent at line 1, column 3 (offset 2)"},
      {"no exponent after its sign", "1e+-1", "A digit is missing in the exponent at line 1, column 4 (offset 3)"},
      {"too large", "[1e400]", "A number is too large at line 1, column 2 (offset 1)"},
      {"too large, negative", "-1e309", "A number is too large at line 1, column 1 (offset 0)"},
      {"too large in digits", std::string(310, '9'), "A number is too large at line 1, column 1 (offset 0)"},
      {"no end of a string", "\"abc", "A string has no end at line 1, column 5 (offset 4)"},
      {"end after a backslash", "\"\\", "Unknown escape in a string at line 1, column 2 (offset 1)"},
      {"control", "\"a\nb\"", "A control character must be escaped in a string at line 1, column 3 (offset 2)"},
      {"NUL", std::string("\"\0\"", 3),
       "A control character must be escaped in a string at line 1, column 2 (offset 1)"},
      {"unknown escape", "\"\xC3\xA4\\x\"", "Unknown escape in a string at line 1, column 3 (offset 3)"},
      {"three hex digits", "\"\\u004\"",
       "Four hexadecimal digits are missing after \\u at line 1, column 2 (offset 1)"},
      {"foreign hex digit", "\"\\u00g0\"",
       "Four hexadecimal digits are missing after \\u at line 1, column 2 (offset 1)"},
      {"U+0000", "\"\\u0000\"", "U+0000 is not accepted at line 1, column 2 (offset 1)"},
      {"U+0000 in a name", "{\"a\\u0000\":1}", "U+0000 is not accepted at line 1, column 4 (offset 3)"},
      {"first half alone", "\"\\ud800\"", "Half of a surrogate pair at line 1, column 2 (offset 1)"},
      {"second half alone", "\"\\udc00\"", "Half of a surrogate pair at line 1, column 2 (offset 1)"},
      {"two first halves", "\"\\ud800\\ud800\"", "Half of a surrogate pair at line 1, column 2 (offset 1)"},
      {"invalid UTF-8", "\"\xFF\"", "Invalid UTF-8 at line 1, column 2 (offset 1)"},
      {"cut UTF-8", "\"\xE2\x82\"", "Invalid UTF-8 at line 1, column 2 (offset 1)"},
      {"overlong UTF-8", "\"\xC0\xAF\"", "Invalid UTF-8 at line 1, column 2 (offset 1)"},
      {"surrogate in UTF-8", "\"\xED\xA0\x80\"", "Invalid UTF-8 at line 1, column 2 (offset 1)"},
      {"duplicate name", "{\"a\":1,\n\"a\":1}", "A member name is used twice at line 2, column 1 (offset 8)"},
      {"duplicate name, escaped", "{\"a\":1,\"\\u0061\":2}",
       "A member name is used twice at line 1, column 8 (offset 7)"},
      {"33 levels", nested(33), "More than 32 levels of nesting at line 1, column 33 (offset 32)"},
      {"33rd level is an object", std::string(32, '[') + "{}",
       "More than 32 levels of nesting at line 1, column 33 (offset 32)"},
      {"number of 1025 characters", "[" + std::string(1025, '1') + "]",
       "A number is longer than 1024 characters at line 1, column 2 (offset 1)"},
      {"fault after 1025 digits", std::string(1025, '1') + ".x",
       "A number is longer than 1024 characters at line 1, column 1 (offset 0)"},
      {"fault after 1024 digits", std::string(1023, '1') + ".x",
       "A digit is missing after the decimal point at line 1, column 1025 (offset 1024)"},
      {"name of 4097 bytes", "{\n\"" + std::string(4097, 'n') + "\":1}",
       "A member name is longer than 4096 bytes at line 2, column 1 (offset 2)"},
      {"name of 4097 bytes, then a fault", "{\"" + std::string(4097, 'n') + "\xFF",
       "A member name is longer than 4096 bytes at line 1, column 2 (offset 1)"},
      {"name of 4090 bytes, then a fault", "{\"" + std::string(4090, 'n') + "\xFF\":1}",
       "Invalid UTF-8 at line 1, column 4093 (offset 4092)"},
      {"name that the limit cuts in an escape", "{\"" + std::string(4095, 'n') + "\\u0041\":1}",
       "A member name is longer than 4096 bytes at line 1, column 2 (offset 1)"},
      {"100000 levels", std::string(100000, '['), "More than 32 levels of nesting at line 1, column 33 (offset 32)"},
  };
  for (auto const& c : cases) {
    INFO(c.name);
    auto const got = parse_each_cut(c.text);
    REQUIRE(got.has_error());
    CHECK(got.error().code == errc::malformed_json);
    CHECK(got.error().message == "The body is not acceptable JSON: " + c.expected + ".");
  }
}

TEST_CASE("json: boundaries") {
  CHECK(parse_json(nested(31)).has_value());
  CHECK(parse_json(nested(32)).has_value());
  CHECK(parse_json(nested(33)).has_error());
  CHECK(parse_json(object_of(999)).has_value());
  CHECK(parse_json(object_of(1000)).has_value());
  CHECK(parse_json(object_of(1001)).has_error());
  CHECK(parse_json("{\"" + std::string(4096, 'n') + "\":1}").has_value());
  CHECK(parse_json(std::string(1024, '1') + ' ').has_error());  // beyond a double, but not too long
  CHECK(*parse_json("0." + std::string(1022, '0')) == json::value(0));
  CHECK(parse_json("[{\"a\":1},{\"a\":1}]").has_value());
  CHECK(parse_json("{\"a\":{\"a\":1}}").has_value());
  CHECK(parse_json("\"" + std::string(5'000'000, 'x') + "\"").has_value());
}

TEST_CASE("json: written text is always valid") {
  auto const text_of = [](json::value const& v) { return to_json(v); };
  CHECK(text_of(std::numeric_limits<double>::infinity()) == "null");
  CHECK(text_of(std::numeric_limits<double>::quiet_NaN()) == "null");
  CHECK(text_of(1.5) == "1.5");
  CHECK(text_of(1.0) == "1");
  CHECK(text_of(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(text_of("a\xFF\xE2\x82z") == "\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\"");
  CHECK(text_of(json::string_view("\0</script>", 10)) == "\"\\u0000</script>\"");
  std::string out = "x";
  append_json_string(out, "\"");
  CHECK(out == "x\"\\\"\"");
}

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
