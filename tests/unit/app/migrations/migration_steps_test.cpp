#include "app/migrations/migration_steps.hpp"
#include "app/migrations/migrator.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace svc::app {
namespace {

constexpr std::string_view outside = "-- outside a transaction: each statement by itself";

struct step {
  std::string sql;
  step_kind kind = step_kind::single;
};

TEST_CASE("a migration outside a transaction is executed by statements") {
  struct {
    char const* name;
    std::string file;
    std::vector<step> steps;
  } const cases[] = {
      {"nothing", "", {}},
      {"comments alone", "-- a;\n\n  \n-- repeat\n", {}},
      {"one", "SELECT 1;", {{"SELECT 1;\n"}}},
      {"several, over lines, with blanks behind and comments inside",
       "-- why;\nSELECT 1,\n  -- not the end;\n  2;  \r\n\nSELECT ';',\n 3;\n",
       {{"SELECT 1,\n  -- not the end;\n  2;\n"}, {"SELECT ';',\n 3;\n"}}},
      {"a body in quotes",
       "DO $$ BEGIN\n  PERFORM 1;\nEND $$;\nDO $$ BEGIN END $$;\nSELECT 1;\n",
       {{"DO $$ BEGIN\n  PERFORM 1;\nEND $$;\n"}, {"DO $$ BEGIN END $$;\n"}, {"SELECT 1;\n"}}},
      {"a repeated one between others",
       "SELECT 1;\n-- repeat\n-- in batches\nDELETE FROM a\n WHERE b;\nSELECT 2;\n",
       {{"SELECT 1;\n"}, {"DELETE FROM a\n WHERE b;\n", step_kind::repeated}, {"SELECT 2;\n"}}},
      {"a query whose statements are executed, between others",
       "SELECT 1;\n-- for each partition\n-- each\nSELECT format('DROP TABLE %I;', a)\n  FROM b;\nSELECT 2;\n",
       {{"SELECT 1;\n"}, {"SELECT format('DROP TABLE %I;', a)\n  FROM b;\n", step_kind::each}, {"SELECT 2;\n"}}},
      {"the mark inside a statement is a comment", "SELECT\n-- repeat\n1;\n", {{"SELECT\n-- repeat\n1;\n"}}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const steps = migration_steps(c.file);
    REQUIRE(steps.size() == c.steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      CHECK(steps[i].sql == c.steps[i].sql);
      CHECK((steps[i].kind == c.steps[i].kind));
    }
  }
}

TEST_CASE("a migration whose last statement does not end is refused") {
  for (auto const* file : {"SELECT 1", "SELECT 1; -- one\n", "DO $$ BEGIN;\n", "SELECT 1;\nSELECT 2\n"}) {
    CAPTURE(file);
    CHECK_THROWS_AS(migration_steps(file), std::logic_error);
  }
}

TEST_CASE("a statement of a migration has one kind") {
  for (auto const* file : {"-- repeat\n-- each\nSELECT 1;\n", "-- each\n\n-- repeat\nSELECT 1;\n"}) {
    CAPTURE(file);
    CHECK_THROWS_AS(migration_steps(file), std::logic_error);
  }
}

TEST_CASE("only the exact first line takes a migration out of its transaction") {
  std::string const line(outside);
  CHECK(runs_outside_transaction(line));
  CHECK(runs_outside_transaction(line + "\nSELECT 1;\n"));
  for (auto const& file : {"\n" + line, line + ".\n", "--" + line, std::string("SELECT 1;"), std::string()})
    CHECK_FALSE(runs_outside_transaction(file));
}

TEST_CASE("every embedded migration that runs outside a transaction has whole statements") {
  for (auto const& migration : embedded_migrations()) {
    CAPTURE(migration.name);
    bool const means_it = migration.sql.find("outside a transaction") < migration.sql.find('\n');
    CHECK(runs_outside_transaction(migration.sql) == means_it);
    if (means_it) CHECK_FALSE(migration_steps(migration.sql).empty());
  }
}

TEST_CASE("the comments at a file's head name the older programs that work with its schema") {
  CHECK(compatible_from("-- Adds.\n-- compatible from V037\nCREATE TABLE a ();\n") == 37);
  CHECK(compatible_from("-- outside a transaction: each statement by itself\n\n-- compatible from V7\nSELECT;\n") ==
        7);
  CHECK_FALSE(compatible_from("CREATE TABLE a ();\n-- compatible from V037\n"));
  CHECK_FALSE(compatible_from("-- Compatible with everything\nSELECT;\n"));
  CHECK_FALSE(compatible_from(""));
  for (auto const* bad : {"-- compatible from Vx\n", "-- compatible from V\n", "-- compatible from V0\n",
                          "-- compatible from V37 on\n"})
    CHECK_THROWS_AS(compatible_from(bad), std::logic_error);
}

}  // namespace
}  // namespace svc::app
