// A table whose rows nobody deletes is noticed when the disk is full: each has a rule in schema/README.md.
#include "migrated_database.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace svc;
using namespace svc::test;

namespace {

constexpr std::string_view heading = "## What ends rows";

/// The tables of the section; each row must contain a rule.
std::multiset<std::string> tables_with_a_rule() {
  std::ifstream file(std::filesystem::path(SVC_SCHEMA_DIRECTORY).parent_path() / "README.md");
  REQUIRE(file.good());
  std::multiset<std::string> out;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) inside = line == heading;
    if (!inside || !line.starts_with("| `")) continue;
    CAPTURE(line);
    auto const rule = line.find(" | ");
    REQUIRE(rule != std::string::npos);
    CHECK(line.size() - rule > 15);
    std::istringstream names(line.substr(0, rule));
    for (std::string between, name; std::getline(names, between, '`') && std::getline(names, name, '`');)
      out.insert(name);
  }
  return out;
}

}  // namespace

TEST_CASE("every table has a rule for the end of its rows, and only once") {
  migrated_database db;
  auto const found = db.must(
      {{"tables_test",
        "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
        " AND NOT relispartition"}});
  std::multiset<std::string> tables;
  for (int i = 0; i < found.size(); ++i) tables.emplace(found[i].text(0));
  CHECK(tables.size() > 20);
  auto const ruled = tables_with_a_rule();
  for (auto const& table : tables) CHECK_MESSAGE(ruled.count(table) == 1, table);
  for (auto const& table : ruled) CHECK_MESSAGE(tables.contains(table), table);
}
