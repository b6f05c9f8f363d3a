#include "svc/postgres/rows.hpp"

#include "postgres/wire.hpp"

#include <doctest/doctest.h>
#include <libpq-fe.h>

#include <stdexcept>

using namespace svc;
using postgres::rows;

namespace {

/// One row: 7 as int4, NULL as text, and a column in text format.
rows sample() {
  PGresult* r = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
  char number[] = "number", nothing[] = "nothing", text[] = "text";
  PGresAttDesc columns[] = {{number, 0, 0, 1, static_cast<Oid>(postgres::type::int4), 4, -1},
                            {nothing, 0, 0, 1, static_cast<Oid>(postgres::type::text), -1, -1},
                            {text, 0, 0, 0, static_cast<Oid>(postgres::type::text), -1, -1}};
  REQUIRE(PQsetResultAttrs(r, 3, columns) == 1);
  char seven[] = "\0\0\0\7", abc[] = "abc";
  REQUIRE(PQsetvalue(r, 0, 0, seven, 4) == 1);
  REQUIRE(PQsetvalue(r, 0, 1, nullptr, -1) == 1);
  REQUIRE(PQsetvalue(r, 0, 2, abc, 3) == 1);
  return rows(r);
}

}  // namespace

TEST_CASE("a row reads by position and copies share the result") {
  rows copy;
  CHECK(copy.empty());
  CHECK(copy.affected() == 0);
  CHECK_THROWS_AS(copy.front().is_null(0), std::logic_error);
  copy = sample();
  REQUIRE(copy.size() == 1);
  CHECK(copy.front().integer(0) == 7);
  CHECK(copy.front().maybe_integer(0) == 7);
  CHECK_FALSE(copy.front().is_null(0));
  CHECK(copy.front().is_null(1));
  CHECK(copy.front().maybe_text(1) == std::nullopt);
  CHECK(copy.affected() == 0);
}

TEST_CASE("a bug in the reader is named") {
  rows const r = sample();
  CHECK_THROWS_WITH(r.front().text(0), "postgres: column 0 (number): type 23 with 4 bytes is no text");
  CHECK_THROWS_WITH(r.front().text(1), "postgres: column 1 (nothing): NULL");
  CHECK_THROWS_WITH(r.front().text(2), "postgres: column 2 (text): not in binary format");
  CHECK_THROWS_WITH(r.front().maybe_id(0), "postgres: column 0 (number): type 23 with 4 bytes is no uuid");
  for (int const column : {-1, 3}) CHECK_THROWS_AS(r.front().is_null(column), std::logic_error);
  for (int const row : {-1, 1}) CHECK_THROWS_AS(r[row].is_null(0), std::logic_error);
}
