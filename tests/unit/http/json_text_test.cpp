#include "svc/http/json_text.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::http;

TEST_CASE("An object written member by member") {
  CHECK(json_text().take().text == "{}");
  CHECK(json_text().member("a", "x").take().text == R"({"a":"x"})");
  CHECK(json_text().member("a", "x").member("n", -7).take().text == R"({"a":"x","n":-7})");
  CHECK(json_text().open("o").close().member("n", 1).take().text == R"({"o":{},"n":1})");
  CHECK(json_text().open("o").open("p").member("n", 1).close().close().take().text == R"({"o":{"p":{"n":1}}})");
  CHECK(json_text().open_list("l").close_list().member("n", 1).take().text == R"({"l":[],"n":1})");
  CHECK(json_text().open_list("l").element("[").element(2).close_list().take().text == R"({"l":["[",2]})");
  CHECK(json_text()
            .open_list("l")
            .open_element()
            .close()
            .open_element()
            .member("n", 1)
            .close()
            .close_list()
            .take()
            .text == R"({"l":[{},{"n":1}]})");
}

TEST_CASE("Values of each type") {
  auto const id = *uuid::parse("0189f7e2-7b1c-7abc-8def-0123456789ab");
  CHECK(json_text().member("v", id).take().text == R"({"v":"0189f7e2-7b1c-7abc-8def-0123456789ab"})");
  CHECK(json_text().member("v", timestamp{1'500'000}).take().text == R"({"v":"1970-01-01T00:00:01.500Z"})");
  CHECK(json_text().member("v", true).member("w", false).take().text == R"({"v":true,"w":false})");
  CHECK(json_text().member("v", nullptr).take().text == R"({"v":null})");
  CHECK(json_text().member("v", std::optional<std::string>()).take().text == R"({"v":null})");
  CHECK(json_text().member("v", std::optional<std::string>("x")).take().text == R"({"v":"x"})");
  CHECK(json_text().member_if("v", std::optional<uuid>()).take().text == "{}");
  CHECK(json_text().member_if("v", std::optional<int>(3)).take().text == R"({"v":3})");
  CHECK(json_text().member("v", INT64_MIN).member("w", UINT64_MAX).take().text ==
        R"({"v":-9223372036854775808,"w":18446744073709551615})");
}

TEST_CASE("Texts are escaped as usual: no name of a token can end its string") {
  CHECK(json_text().member("a", "\"}\n\x01").take().text == "{\"a\":\"\\\"}\\n\\u0001\"}");
  CHECK(json_text().member("a", "\xff").take().text == "{\"a\":\"\xEF\xBF\xBD\"}");
}

TEST_CASE("JSON of a database keeps its strings and loses the white space around them") {
  struct {
    char const *stored, *written;
  } const cases[] = {
      {"[]", "[]"},
      {"null", "null"},
      {R"({"a": 1, "b": [true, null]})", R"({"a":1,"b":[true,null]})"},
      {" [ 1 ,\n\t2 ]\r\n", "[1,2]"},
      {R"(["a b", " ", ""])", R"(["a b"," ",""])"},
      {R"({"a\" b": "\\", "c": "\\\" d"})", R"({"a\" b":"\\","c":"\\\" d"})"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.stored);
    CHECK(json_text().stored_member("v", c.stored).take().text == std::string(R"({"v":)") + c.written + "}");
  }
}

TEST_CASE("Passing members are where they were written") {
  auto const made = json_text().member("a", 1).passing_member("b", "x").member("c", 2).passing_member("d", 3).take();
  CHECK(made.text == R"({"a":1,"b":"x","c":2,"d":3})");
  REQUIRE(made.passing.size() == 2);
  std::string_view const text = made.text;
  CHECK(text.substr(made.passing[0].begin, made.passing[0].end - made.passing[0].begin) == R"(,"b":"x")");
  CHECK(text.substr(made.passing[1].begin, made.passing[1].end - made.passing[1].begin) == R"(,"d":3)");
}
