#include "svc/http/headers.hpp"

#include <doctest/doctest.h>

using namespace svc::http;

TEST_CASE("which values are keys, and which are the same key") {
  std::string const most(255, 'k');
  struct {
    std::string value;
    std::optional<std::string> key;
  } const cases[] = {
      {"k", "k"},
      {"\"k\"", "k"},
      {"8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"},
      {"a\"b", "a\"b"},
      {"\"a\\\"b\"", "a\"b"},
      {"a\\b", "a\\b"},
      {"\"a\\\\b\"", "a\\b"},
      {"!~", "!~"},
      {most, most},
      {"\"" + most + "\"", most},
      {most + "k", std::nullopt},
      {"\"" + most + "k\"", std::nullopt},
      {"", std::nullopt},
      {"\"\"", std::nullopt},
      {"\"", std::nullopt},
      {"\"k", std::nullopt},
      {"\"k\\\"", std::nullopt},
      {"\"k\\", std::nullopt},
      {"\"a\\b\"", std::nullopt},
      {"\"a\"b", std::nullopt},
      {"\"a\" ", std::nullopt},
      {"a b", std::nullopt},
      {"\"a b\"", std::nullopt},
      {"a\tb", std::nullopt},
      {"caf\xc3\xa9", std::nullopt},
      {std::string("a\0b", 3), std::nullopt},
      {"a\x7f", std::nullopt},
  };
  for (auto const& c : cases) {
    CAPTURE(c.value);
    CHECK(read_idempotency_key(c.value) == c.key);
  }
}
