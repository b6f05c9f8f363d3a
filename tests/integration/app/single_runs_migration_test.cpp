// V063 on a database whose previous version goes on making runs, adding partitions and dropping them.
#include "fresh_database.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::app {
namespace {

constexpr int single_runs = 63;
constexpr auto partitions_sql = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'run_history'::regclass";
constexpr auto attached_sql =
    "SELECT count(*) FROM pg_inherits a JOIN pg_index i ON i.indexrelid = a.inhrelid"
    " WHERE a.inhparent = 'run_history_single'::regclass AND i.indisvalid";
constexpr auto parent_valid_sql = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'run_history_single'::regclass";
constexpr auto drop_oldest_sql = "SELECT drop_run_partitions(statement_timestamp() - interval '9 days')";
constexpr auto add_sql =
    "SELECT add_run_partitions(interval '1 day', (SELECT max(to_time) FROM time_partitions"
    " WHERE parent = 'run_history'))";

migration const& single_runs_migration() {
  auto const& all = embedded_migrations();
  return *std::find_if(all.begin(), all.end(), [](auto const& m) { return m.version == single_runs; });
}

/// Replaces the partitions of runs by nine, the oldest of which ended ten days ago.
constexpr auto partition_sql = R"(
DO $$
DECLARE
  table_name text;
  part text;
  starts CONSTANT timestamptz := date_trunc('day', now(), 'UTC') - interval '10 days';
BEGIN
  FOREACH table_name IN ARRAY ARRAY['run_history', 'run_results', 'run_output'] LOOP
    FOR part IN SELECT name FROM time_partitions WHERE parent = table_name LOOP
      EXECUTE format('DROP TABLE %I', part);
    END LOOP;
    DELETE FROM time_partitions WHERE parent = table_name;
    EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', table_name || '_before', table_name,
                   first_id_at('-infinity'), first_id_at(starts));
    INSERT INTO time_partitions VALUES (table_name || '_before', table_name, '-infinity', starts);
    PERFORM add_partitions(table_name, interval '2 days', now() + interval '4 days');
  END LOOP;
END $$)";
constexpr auto insert_sql = R"(
INSERT INTO run_history (id, project_id, test_id, job_type, trigger, triggered_by, test_count)
SELECT id_at(now() - day * interval '1 day', gen_random_uuid()), gen_random_uuid(), gen_random_uuid(), 'command', 'remote',
       'ci', 1 FROM generate_series(0, 9) day)";

struct previous_schema {
  previous_schema() {
    auto session = database.connect();
    prepare_record(session);
    for (auto const& migration : embedded_migrations())
      if (migration.version < single_runs) apply_migration(session, migration, words.speak());
    words.all.clear();
    session.run(partition_sql);
    session.run(insert_sql);
  }

  void apply(speaker const& say) {
    auto session = database.connect();
    apply_migration(session, single_runs_migration(), say);
  }
  std::string as_service(std::string const& sql) const {
    auto session = database.connect();
    session.run("SET ROLE svc_service");
    auto const rows = session.run(sql);
    return rows.empty() ? "" : rows.at(0).at(0).value_or("NULL");
  }
  void check_complete() const {
    CHECK(database.value(attached_sql) == database.value(partitions_sql));
    CHECK(database.value(parent_valid_sql) == "t");
  }

  fresh_database database;
  sayings words;
};

TEST_CASE("each partition of runs gets its index while the service makes runs, adds partitions and drops one") {
  previous_schema before;
  auto const partitions = before.database.value(partitions_sql);
  std::string dropped, added;
  before.apply([&](std::string const& sentence) {
    before.words.all.push_back(sentence);
    before.as_service(insert_sql);
    // The first statement builds the index of the oldest partition.
    if (!dropped.empty() || sentence.find(": statement 1 of ") == std::string::npos) return;
    dropped = before.as_service(drop_oldest_sql);
    added = before.as_service(add_sql);
  });
  CHECK(dropped == "0");
  CHECK(added == "3");
  CHECK(before.words.has("V063 single_runs: skipped, because the table was dropped meanwhile"));
  CHECK(before.database.value(partitions_sql) == partitions);
  before.check_complete();
  CHECK(before.as_service(add_sql) == "3");
  before.check_complete();
}

TEST_CASE("an interrupted build of the indexes of single runs continues, and a complete one changes nothing") {
  previous_schema before;
  SUBCASE("in the middle of the first index, which is invalid") {
    before.database.connect().run(
        "CREATE INDEX run_history_single ON ONLY run_history (project_id, id) WHERE job_id IS NULL;"
        "CREATE INDEX run_history_before_single ON run_history_before (project_id, id) WHERE job_id IS NULL;"
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'run_history_before_single'::regclass");
  }
  SUBCASE("after the first attachment") {
    before.database.connect().run(
        "CREATE INDEX run_history_single ON ONLY run_history (project_id, id) WHERE job_id IS NULL;"
        "CREATE INDEX run_history_before_single ON run_history_before (project_id, id) WHERE job_id IS NULL;"
        "ALTER INDEX run_history_single ATTACH PARTITION run_history_before_single");
  }
  before.apply(before.words.speak());
  before.check_complete();
  CHECK(before.words.has(": statement 1 of "));
  before.words.all.clear();
  before.database.connect().run("DELETE FROM schema_migrations WHERE version = 63");
  before.apply(before.words.speak());
  before.check_complete();
  CHECK_FALSE(before.words.has(": statement"));
}

TEST_CASE("the indexes of single runs wait half a second for a lock, and the migrator then tries again") {
  previous_schema before;
  auto holder = before.database.connect();
  holder.run("BEGIN; LOCK TABLE ONLY run_history IN ROW EXCLUSIVE MODE");
  CHECK(migrate(before.database.url(), false, patience, [&](std::string const& sentence) {
          before.words.all.push_back(sentence);
          if (sentence.find("waits for a lock") != std::string::npos) holder.run("COMMIT");
        }) == 0);
  CHECK(before.words.has("V063 single_runs waits for a lock"));
  before.check_complete();
}

}  // namespace
}  // namespace svc::app
