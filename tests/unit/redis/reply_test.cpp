#include "svc/redis/reply.hpp"

#include <doctest/doctest.h>

using namespace svc::redis;

TEST_CASE("the code of an error is its first word") {
  struct {
    char const* name;
    reply value;
    char const* expected;
  } const cases[] = {
      {"with text", {.kind = reply::type::error, .text = "NOSCRIPT No matching script."}, "NOSCRIPT"},
      {"alone", {.kind = reply::type::error, .text = "OOM"}, "OOM"},
      {"empty", {.kind = reply::type::error, .text = ""}, ""},
      {"no error", {.kind = reply::type::bulk, .text = "NOSCRIPT x"}, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(c.value.error_code() == c.expected);
  }
}

TEST_CASE("an outcome is ok only when answered without error") {
  reply const error{.kind = reply::type::error, .text = "ERR"};
  CHECK(outcome{delivery::answered, {}}.ok());
  CHECK_FALSE(outcome{delivery::answered, error}.ok());
  CHECK_FALSE(outcome{delivery::missed, {}}.ok());
  CHECK_FALSE(outcome{delivery::unsent, {}}.ok());
}
