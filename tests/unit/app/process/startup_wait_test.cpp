#include "app/process/startup_wait.hpp"

#include <doctest/doctest.h>

namespace svc::app {
namespace {

TEST_CASE("an instance that cannot serve yet names only the stores that are missing, with address and reason") {
  missing_stores const none{};
  missing_stores const silent_redis{.redis = true};
  missing_stores const refused_redis{.redis = true, .redis_fault = "connect: Connection refused"};
  missing_stores const no_postgres{.postgres = true};
  missing_stores const neither{.redis = true, .postgres = true, .redis_fault = "AUTH: WRONGPASS wrong"};
  struct {
    std::vector<missing_stores> workers;
    char const* expected;
  } const cases[] = {
      {{refused_redis}, "waiting for Redis at db:6379: connect: Connection refused"},
      {{none, silent_redis}, "waiting for Redis at db:6379: no answer yet"},
      {{silent_redis, refused_redis}, "waiting for Redis at db:6379: connect: Connection refused"},
      {{no_postgres, none}, "waiting for PostgreSQL"},
      {{neither}, "waiting for Redis at db:6379: AUTH: WRONGPASS wrong, and for PostgreSQL"},
      {{refused_redis, no_postgres}, "waiting for Redis at db:6379: connect: Connection refused, and for PostgreSQL"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.expected);
    CHECK(waiting_sentence(c.workers, "db:6379") == c.expected);
  }
}

}  // namespace
}  // namespace svc::app
