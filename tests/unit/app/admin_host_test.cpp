#include "app/admin_service.hpp"

#include <doctest/doctest.h>

namespace svc::app {
namespace {

TEST_CASE("host names that the admin pages accept") {
  std::vector<std::string> const names{"svc-1.example", "Metrics"};
  struct {
    char const* host;
    bool allowed;
  } const cases[] = {
      {"127.0.0.1", true},
      {"127.0.0.1:9464", true},
      {"10.1.2.3:80", true},
      {"[::1]:9464", true},
      {"[fd00::1]", true},
      {"localhost", true},
      {"LocalHost:9464", true},
      {"svc-1.example:9464", true},
      {"SVC-1.EXAMPLE", true},
      {"metrics", true},
      {"rebound.example", false},
      {"localhost.evil.example", false},
      {"127.0.0.1.nip.io", false},
      {"svc-1.example.", false},
      {"", false},
      {"[", false},
      {"0x7f.1", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.host);
    http::request head;
    head.fields = {{"Accept", "*/*"}, {"HOST", c.host}};
    CHECK(admin_host_allowed(head, names) == c.allowed);
  }
  CHECK(admin_host_allowed(http::request{}, {}));
}

}  // namespace
}  // namespace svc::app
