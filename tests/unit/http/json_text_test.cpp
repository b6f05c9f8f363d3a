#include "svc/http/json.hpp"

#include <doctest/doctest.h>

using namespace svc::http;

TEST_CASE("An object written member by member") {
  CHECK(json_text().take() == "{}");
  CHECK(json_text().member("a", "x").take() == R"({"a":"x"})");
  CHECK(json_text().member("a", "x").member("n", -7).take() == R"({"a":"x","n":-7})");
  CHECK(json_text().open("o").close().member("n", 1).take() == R"({"o":{},"n":1})");
  CHECK(json_text().open("o").open("p").member("n", 1).close().close().take() == R"({"o":{"p":{"n":1}}})");
}

TEST_CASE("Texts are escaped as usual: no name of a token can end its string") {
  CHECK(json_text().member("a", "\"}\n\x01").take() == "{\"a\":\"\\\"}\\n\\u0001\"}");
  CHECK(json_text().member("a", "\xff").take() == "{\"a\":\"\xEF\xBF\xBD\"}");
}
