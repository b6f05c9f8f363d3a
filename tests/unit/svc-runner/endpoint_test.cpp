#include "svc-runner/client/http_connection.hpp"

#include <doctest/doctest.h>

using svc::runner::parse_endpoint;

TEST_CASE("where the service is") {
  struct {
    char const* url;
    char const* authority;  ///< null: refused
    bool tls;
  } const cases[] = {
      {"https://api.example.org", "api.example.org:443", true},
      {"https://api.example.org/", "api.example.org:443", true},
      {"https://127.0.0.1:8444", "127.0.0.1:8444", true},
      {"https://[::1]:8444", "[::1]:8444", true},
      {"https://[::1]", "[::1]:443", true},
      {"unix:/run/svcd/internal.sock", "localhost", false},
      {"http://127.0.0.1:80", "127.0.0.1:80", false},
      {"http://localhost", "localhost:80", false},
      {"http://api.example.org", nullptr, false},
      {"https://", nullptr, false},
      {"https://a:0", nullptr, false},
      {"https://a:65536", nullptr, false},
      {"https://a:x", nullptr, false},
      {"https://a:", nullptr, false},
      {"https://a/b", nullptr, false},
      {"https://[::1", nullptr, false},
      {"https://[::1]x", nullptr, false},
      {"https://user@a", nullptr, false},
      {"unix:relative", nullptr, false},
      {"", nullptr, false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.url);
    auto const got = parse_endpoint(c.url);
    REQUIRE(got.has_value() == (c.authority != nullptr));
    if (!got) continue;
    CHECK(got->authority() == c.authority);
    CHECK(got->tls == c.tls);
  }
}
