// A table without a bound grows until the disk is full, by whatever a tenant chooses: each has a row in
// schema/README.md that says what bounds it, and names the test that fills it.
#include "support/documented_rows.hpp"

#include "migrated_database.hpp"
#include "shop.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

using namespace svc;
using namespace svc::test;

namespace {

constexpr std::string_view bounds_heading = "## What bounds growth";
std::filesystem::path const repository = std::filesystem::path(SVC_SCHEMA_DIRECTORY).parent_path().parent_path();

/// Tables whose number of rows nothing bounds, which their rows admit. The list may only become shorter.
std::set<std::string> const open_tables{"audit_log"};

/// The files with this extension below a folder of the repository, as one text each.
std::map<std::string, std::string> sources_below(std::string const& folder) {
  std::map<std::string, std::string> out;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(repository / folder)) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    out.emplace(std::filesystem::relative(entry.path(), repository).string(), text.str());
  }
  return out;
}

std::multiset<std::string> tables_of(migrated_database& db) {
  auto const found = db.must(
      {{"growth_tables_test",
        "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
        " AND NOT relispartition"}});
  std::multiset<std::string> out;
  for (int i = 0; i < found.size(); ++i) out.emplace(found[i].text(0));
  return out;
}

}  // namespace

TEST_CASE("every table has a bound, something that enforces it, and a test that exists") {
  migrated_database db;
  auto const rows = documented_rows(bounds_heading);
  std::string titles;
  for (auto const& [path, text] : sources_below("tests")) titles += text;
  std::multiset<std::string> bounded;
  std::set<std::string> open;
  for (auto const& row : rows) {
    CAPTURE(row.cells[0]);
    REQUIRE(row.cells.size() == 4);
    auto const names = words_of(row.cells[0]);
    bounded.insert(names.begin(), names.end());
    CHECK(row.cells[1].size() > 10);
    CHECK_FALSE(row.cells[2].empty());
    auto const proofs = words_of(row.cells[3]);
    CHECK_FALSE(proofs.empty());
    for (auto const& title : proofs) {
      bool const start_only = title.ends_with('*');
      auto const quoted = "\"" + (start_only ? title.substr(0, title.size() - 1) : title + "\"");
      CHECK_MESSAGE(titles.find(quoted) != std::string::npos, title);
    }
    if (row.cells[1].starts_with("open") || row.cells[1].find(" Open:") != std::string::npos)
      open.insert(names.begin(), names.end());
  }
  auto const tables = tables_of(db);
  CHECK(tables.size() > 40);
  for (auto const& table : tables) CHECK_MESSAGE(bounded.count(table) == 1, table);
  for (auto const& table : bounded) CHECK_MESSAGE(tables.contains(table), table);
  for (auto const& table : open) CHECK_MESSAGE(open_tables.contains(table), table);
  for (auto const& table : open_tables) CHECK_MESSAGE(open.contains(table), table);
}

TEST_CASE("a table that has one row for each thing has no other columns in its key") {
  migrated_database db;
  struct {
    char const* table;
    char const* key;  ///< in the order of the alphabet
  } const cases[] = {
      {"organization_members", "organization_id,user_id"},
      {"project_members", "project_id,user_id"},
      {"passwords", "user_id"},
      {"identities", "provider,user_id"},
      {"test_tags", "tag_id,test_id"},
      {"monitor_tags", "monitor_id,tag_id"},
      {"monitor_dependencies", "monitor_id,slot"},
      {"project_claims", "project_id"},
      {"project_keys", "project_id"},
      {"project_usage", "kind,project_id"},
      {"project_output", "project_id"},
      {"project_mails", "project_id"},
      {"instances", "id"},
      {"check_holders", "id"},
      {"monitor_status", "monitor_id"},
      {"heartbeats", "monitor_id"},
      {"check_states", "location_id,monitor_id"},
      {"job_streaks", "job_id"},
      {"provider_queue", "provider_id"},
      {"run_alerts_due", "ended_at,job_id,run_id"},
      {"run_output", "run_id"},
      {"run_results", "run_id"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.table);
    auto const keys =
        db.must({{"growth_keys_test",
                  "SELECT (SELECT string_agg(a.attname::text, ',' ORDER BY a.attname) FROM pg_attribute a"
                  " WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int2[]))"
                  " FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
                  " WHERE c.relname = $1 AND i.indisunique AND i.indpred IS NULL"},
                 postgres::parameters(c.table)});
    std::set<std::string> found;
    for (int i = 0; i < keys.size(); ++i) found.emplace(keys[i].text(0));
    CAPTURE(found.empty() ? std::string() : *found.begin());
    CHECK(found.contains(c.key));
  }
}

TEST_CASE("tables that the operator fills get rows from no other part of the service") {
  struct {
    char const* table;
    std::set<std::string> texts;  ///< files of `src` that may insert
  } const cases[] = {
      {"organizations", {"src/app/dev/seed.cpp", "src/store/directory/directory_store.cpp"}},
      // Administrators of an organisation create its projects, within a quota.
      {"projects",
       {"src/app/dev/seed.cpp", "src/store/directory/directory_store.cpp", "src/store/accounts/project_store.cpp"}},
      // A person of a provider's verified domain gets an account at the first sign-in, one without an account with
      // the invitation of an administrator.
      {"users",
       {"src/app/dev/seed.cpp", "src/store/directory/directory_store.cpp", "src/store/accounts/identity_store.cpp",
        "src/store/accounts/invitation_acceptance.cpp"}},
      // Administrators create runner tokens, within a bound of the table.
      {"runner_tokens",
       {"src/app/dev/seed.cpp", "src/store/runners/runner_token_store.cpp",
        "src/store/accounts/organization_runner_store.cpp"}},
      {"schema_migrations", {"src/app/migrations/migrator.cpp"}},
      {"timelines", {}},
      {"time_partitions", {}},
      {"check_shards", {}},
      {"check_packing", {}},
      {"heartbeat_listening", {}},
      {"lock_seed", {}},
  };
  auto const sources = sources_below("src");
  CHECK(sources.size() > 300);
  for (auto const& c : cases) {
    CAPTURE(c.table);
    std::set<std::string> found;
    for (auto const& [path, text] : sources)
      for (auto const& after : {" (", " DEFAULT"})
        if (text.find("INSERT INTO " + std::string(c.table) + after) != std::string::npos) found.insert(path);
    CHECK(found == c.texts);
  }
  // Nothing that a tenant's request reaches uses the stores of the operator.
  for (auto const& [path, text] : sources) {
    if (!path.starts_with("src/api/") && !path.starts_with("src/runner_api/")) continue;
    CAPTURE(path);
    for (char const* header : {"svc/store/directory/directory_store.hpp", "svc/store/runners/runner_token_store.hpp"})
      CHECK(text.find(header) == std::string::npos);
  }
}

TEST_CASE("a job holds no 101st test, a heartbeat no second current key, a monitor no second open request") {
  shop db;
  std::vector<uuid> tests;
  for (int i = 0; i < 100; ++i) tests.push_back(db.make_test("t" + std::to_string(i)).id);
  auto const job = db.make_job("full", tests);
  auto const more = db.make_test("one more");
  auto const add_test = [&](std::int64_t position) {
    return db.run({{"growth_add_test",
                    "INSERT INTO job_tests (project_id, job_id, test_id, position) SELECT project_id, "
                    "id, $2, $3::bigint FROM jobs WHERE id = $1"},
                   postgres::parameters(job.id, more.id, position)});
  };
  REQUIRE(add_test(100).has_error());
  CHECK(add_test(100).error().check_violation());
  CHECK(add_test(99).error().unique_violation());
  CHECK(db.number({{"growth_count", "SELECT count(*) FROM job_tests"}}) == 100);

  auto const monitor = uuid::generate_v7();
  db.must({{"growth_monitor",
            "INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, "
            "attempts_seconds, created_by) SELECT $1, p.id, 'site', 'website', 'https://a.example', "
            "1, 1, u.id FROM projects p, users u LIMIT 1"},
           postgres::parameters(monitor)});
  auto const ask = [&] {
    return db.run({{"growth_ask",
                    "INSERT INTO check_requests (id, monitor_id, location_id, shard, kind) VALUES "
                    "(gen_random_uuid(), $1, '00000000-0000-0000-0000-000000000000', 0, 'manual')"},
                   postgres::parameters(monitor)});
  };
  REQUIRE(ask().has_value());
  REQUIRE(ask().has_error());
  CHECK(ask().error().constraint == "check_requests_one_open");

  // Keys refer to the row of a heartbeat, which only a monitor of that type has.
  auto const one_current =
      db.must({{"growth_key_test", "SELECT pg_get_indexdef('heartbeat_keys_current'::regclass)"}});
  CHECK(one_current.front().text(0).find("UNIQUE INDEX heartbeat_keys_current") != std::string_view::npos);
  CHECK(one_current.front().text(0).ends_with("(monitor_id) WHERE (ends_at IS NULL)"));
}
