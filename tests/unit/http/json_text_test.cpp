#include "svc/http/json_text.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace svc;
using namespace svc::http;

TEST_CASE("An object written member by member") {
  CHECK(json_text().take() == "{}");
  CHECK(json_text().member("a", "x").take() == R"({"a":"x"})");
  CHECK(json_text().member("a", "x").member("n", -7).take() == R"({"a":"x","n":-7})");
  CHECK(json_text().open("o").close().member("n", 1).take() == R"({"o":{},"n":1})");
  CHECK(json_text().open("o").open("p").member("n", 1).close().close().take() == R"({"o":{"p":{"n":1}}})");
  CHECK(json_text().open_list("l").close_list().member("n", 1).take() == R"({"l":[],"n":1})");
  CHECK(json_text().open_list("l").element("[").element(2).close_list().take() == R"({"l":["[",2]})");
  CHECK(json_text().open_list("l").open_element().close().open_element().member("n", 1).close().close_list().take() ==
        R"({"l":[{},{"n":1}]})");
}

TEST_CASE("Values of each type") {
  auto const id = *uuid::parse("0189f7e2-7b1c-7abc-8def-0123456789ab");
  CHECK(json_text().member("v", id).take() == R"({"v":"0189f7e2-7b1c-7abc-8def-0123456789ab"})");
  CHECK(json_text().member("v", timestamp{1'500'000}).take() == R"({"v":"1970-01-01T00:00:01.500Z"})");
  CHECK(json_text().member("v", true).member("w", false).take() == R"({"v":true,"w":false})");
  CHECK(json_text().member("v", nullptr).take() == R"({"v":null})");
  CHECK(json_text().member("v", std::optional<std::string>()).take() == R"({"v":null})");
  CHECK(json_text().member("v", std::optional<std::string>("x")).take() == R"({"v":"x"})");
  CHECK(json_text().member_if("v", std::optional<uuid>()).take() == "{}");
  CHECK(json_text().member_if("v", std::optional<int>(3)).take() == R"({"v":3})");
  CHECK(json_text().member("v", INT64_MIN).member("w", UINT64_MAX).take() ==
        R"({"v":-9223372036854775808,"w":18446744073709551615})");
}

TEST_CASE("Texts are escaped as usual: no name of a token can end its string") {
  CHECK(json_text().member("a", "\"}\n\x01").take() == "{\"a\":\"\\\"}\\n\\u0001\"}");
  CHECK(json_text().member("a", "\xff").take() == "{\"a\":\"\xEF\xBF\xBD\"}");
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
    CHECK(json_text().stored_member("v", c.stored).take() == std::string(R"({"v":)") + c.written + "}");
  }
}

TEST_CASE("As text, passing members are members like others") {
  CHECK(json_text().passing_member("a", 1).member("b", "x").take() == R"({"a":1,"b":"x"})");
}

TEST_CASE("Values distinguish differences, except in passing members") {
  using write = void (*)(json_text&);
  auto const values = [](write subject) {
    json_text out(json_form::values);
    subject(out);
    return out.take();
  };
  write const different[] = {
      [](json_text&) {},
      [](json_text& out) { out.member("a", "x").member("b", ""); },
      [](json_text& out) { out.member("a", "").member("b", "x"); },
      [](json_text& out) { out.member("a", "xS0:").member("b", ""); },
      [](json_text& out) { out.member("a", nullptr).member("b", "x"); },
      [](json_text& out) { out.member("a", 1).member("b", 23); },
      [](json_text& out) { out.member("a", 12).member("b", 3); },
      [](json_text& out) { out.member("a", "1").member("b", "23"); },
      [](json_text& out) { out.member("a", true); },
      [](json_text& out) { out.member("a", false); },
      [](json_text& out) { out.member_if("a", std::optional(true)).member_if("b", std::optional<bool>()); },
      [](json_text& out) { out.member_if("a", std::optional<bool>()).member_if("b", std::optional(true)); },
      [](json_text& out) { out.member("a", timestamp{1}); },
      [](json_text& out) { out.member("a", timestamp{2}); },
      [](json_text& out) { out.member("a", uuid()); },
      [](json_text& out) { out.stored_member("a", "[]"); },
      [](json_text& out) { out.stored_member("a", "[1]"); },
      [](json_text& out) { out.open_list("a").element(1).element(2).close_list(); },
      [](json_text& out) { out.open_list("a").element(12).close_list(); },
      [](json_text& out) { out.open_list("a").open_element().close().open_element().close().close_list(); },
      [](json_text& out) { out.open_list("a").open_element().open("b").close().close().close_list(); },
  };
  std::set<std::string> seen;
  for (auto const write_value : different) CHECK(seen.insert(values(write_value)).second);
  CHECK(values([](json_text& out) { out.member("a", 1).passing_member("b", "x"); }) ==
        values([](json_text& out) { out.member("a", 1).passing_member("b", nullptr); }));
}
