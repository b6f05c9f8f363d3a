// V066 on a database whose previous version goes on writing outages.
#include "fresh_database.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::app {
namespace {

constexpr int project_outages = 66;
constexpr auto indexes_sql =
    "SELECT string_agg(pg_get_indexdef(indexrelid), '; ' ORDER BY indexrelid::regclass::text) FROM pg_index"
    " WHERE indrelid = 'outages'::regclass AND indisvalid AND indexrelid::regclass::text LIKE 'outages_%of_project'";
constexpr auto complete_indexes =
    "CREATE INDEX outages_of_project ON public.outages USING btree (project_id, started_at DESC, id DESC);"
    " CREATE INDEX outages_open_of_project ON public.outages USING btree (project_id, started_at DESC, id DESC)"
    " WHERE (ended_at IS NULL)";
constexpr auto organization_sql =
    "INSERT INTO organizations (id, slug, name) VALUES ('01934f2e-0000-7d3e-9b1f-5a2c8e4d6f70', 'acme', 'Acme');"
    "INSERT INTO projects (id, organization_id, slug, name) VALUES ('01934f2e-0000-7d3e-9b1f-5a2c8e4d6f71',"
    " '01934f2e-0000-7d3e-9b1f-5a2c8e4d6f70', 'shop', 'Shop')";
constexpr auto outage_sql =
    "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, cause, cause_message, cause_location,"
    " locations_down) VALUES (gen_random_uuid(), '01934f2e-0000-7d3e-9b1f-5a2c8e4d6f71', gen_random_uuid(), now(),"
    " now(), 0, '', '', '{}')";

struct schema_before_outages {
  schema_before_outages() {
    auto session = database.connect();
    prepare_record(session);
    for (auto const& migration : embedded_migrations())
      if (migration.version < project_outages) apply_migration(session, migration, words.speak());
    session.run(organization_sql);
    session.run(outage_sql);
    session.run(outage_sql);
    words.all.clear();
  }

  void apply(speaker const& say) {
    auto const& all = embedded_migrations();
    auto session = database.connect();
    apply_migration(session, *std::ranges::find(all, project_outages, &migration::version), say);
  }

  fresh_database database;
  sayings words;
};

}  // namespace

TEST_CASE("the indexes of a project's outages are built while the service writes outages") {
  schema_before_outages before;
  int written = 0;
  before.apply([&](std::string const& sentence) {
    before.words.all.push_back(sentence);
    auto session = before.database.connect();
    session.run("SET ROLE svc_service");
    session.run(outage_sql);
    ++written;
  });
  CHECK(written > 0);
  CHECK(before.database.value(indexes_sql) == complete_indexes);
  CHECK(before.database.value("SELECT count(*) FROM outages") == std::to_string(2 + written));
}

TEST_CASE("an interrupted build of the indexes of a project's outages starts again") {
  schema_before_outages before;
  SUBCASE("after the first index") {
    before.database.connect().run(
        "CREATE INDEX outages_of_project ON outages (project_id, started_at DESC, id DESC)");
  }
  SUBCASE("in the middle of an index, which is not valid") {
    auto session = before.database.connect();
    CHECK_THROWS_AS(session.run("CREATE UNIQUE INDEX CONCURRENTLY outages_open_of_project ON outages (project_id)"),
                    database_error);
    CHECK(before.database.value("SELECT indisvalid FROM pg_index WHERE indexrelid ="
                                " 'outages_open_of_project'::regclass") == "f");
  }
  before.apply(before.words.speak());
  CHECK(before.database.value(indexes_sql) == complete_indexes);
  CHECK(before.database.value("SELECT compatible_from FROM schema_migrations WHERE version = 66") == "41");
}

}  // namespace svc::app
