#include "app/maintenance/instance_view.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::app;

TEST_CASE("instances of both stores are shown once each, those of PostgreSQL first, with the stores that know them") {
  instance_identity const a{.id = uuid::generate_v7(), .address = "a"}, b{.id = uuid::generate_v7(), .address = "b"},
      c{.id = uuid::generate_v7(), .address = "c"};
  timestamp const start{17};
  auto const all =
      merged({{.identity = b, .started_at = start, .postgres = true}, {.identity = a, .postgres = true}}, {c, b});
  struct {
    std::string address;
    bool postgres, redis;
  } const expected[] = {{"b", true, true}, {"a", true, false}, {"c", false, true}};
  REQUIRE(all.size() == std::size(expected));
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(all[i].identity.address == expected[i].address);
    CHECK(all[i].postgres == expected[i].postgres);
    CHECK(all[i].redis == expected[i].redis);
  }
  CHECK(all[0].started_at == start);
  CHECK(merged({}, {}).empty());
}
