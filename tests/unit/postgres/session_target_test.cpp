#include "svc/postgres/pool.hpp"

#include <doctest/doctest.h>

#include <string>

using svc::postgres::default_session_target;

TEST_CASE("among several hosts a primary is used, unless the URL says otherwise") {
  struct {
    char const* url;
    bool primary;
  } const table[] = {
      {"postgresql://svc@db1/svc", false},
      {"postgresql://svc@db1,db2/svc", true},
      {"postgresql://svc@db1:5432,db2:5433/svc?sslmode=verify-full", true},
      {"postgresql://svc@db1,db2/svc?target_session_attrs=read-write", false},
      {"postgresql://svc@db1,db2/svc?target_session_attrs=any", false},
      {"postgresql://svc@/svc?host=/run/a,/run/b", true},
      {"host=db1,db2 user=svc", true},
      {"hostaddr=192.0.2.1,192.0.2.2 user=svc", true},
      {"host=db1 hostaddr=192.0.2.1 user=svc", false},
      {"host=db1,db2 target_session_attrs=standby", false},
      {"dbname=svc", false},
      {"", false},
      {"postgresql://[", false},
  };
  for (auto const& row : table) {
    CAPTURE(row.url);
    auto const* const target = default_session_target(row.url);
    CHECK(std::string(target == nullptr ? "" : target) == (row.primary ? "primary" : ""));
  }
}
