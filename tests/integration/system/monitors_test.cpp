// Monitors that stand in the database, checked by real instances against a server of the test.
#include "support/comes_true.hpp"
#include "support/fleet.hpp"
#include "support/watched_target.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

constexpr int watched_monitors = 24;

/// Two instances that check monitors each two seconds, which no user may ask for.
struct watching_fleet {
  fleet instances{2};

  watching_fleet() { sql("ALTER TABLE monitors DROP CONSTRAINT monitors_frequency_seconds_check"); }

  sql_rows sql(std::string const& statements) const { return instances.sql(statements); }
  std::string word(std::string const& query) const { return sql(query).at(0).at(0); }

  void add_monitors(std::string const& target, int count) const {
    sql("INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, frequency_seconds, config,"
        " attempts_seconds, created_by) SELECT gen_random_uuid(), '" +
        instances.text("projectId") + "', 'site ' || i, 'http_request', '" + target +
        "', 1, 2, '{\"retryStrategy\":{\"maxRetries\":0}}', 2, '" + instances.text("userId") +
        "' FROM generate_series(1, " + std::to_string(count) +
        ") i;"
        "INSERT INTO monitor_status (monitor_id) SELECT id FROM monitors ON CONFLICT DO NOTHING;"
        "INSERT INTO check_states (monitor_id, location_id, check_version) SELECT id,"
        " '00000000-0000-0000-0000-000000000000', 1 FROM monitors ON CONFLICT DO NOTHING");
  }
  bool all_are(std::string const& verdict) const {
    return word("SELECT bool_and(verdict = '" + verdict + "') FROM monitor_status") == "t";
  }
  bool all_become(std::string const& verdict) const {
    return comes_true([&] { return all_are(verdict); }, 20s);
  }
  std::string holders() const { return word("SELECT count(DISTINCT holder) FROM check_shards"); }
};

TEST_CASE("monitors come up, go down with an outage each, and up again, though an instance is killed meanwhile") {
  watching_fleet two;
  watched_target target;
  CHECK(comes_true([&] { return two.holders() == "2"; }, 20s));
  two.add_monitors("http://" + target.address() + "/", watched_monitors);
  CHECK(two.all_become("up"));
  CHECK(two.word("SELECT count(*) FROM outages") == "0");
  target.close();
  CHECK(two.all_become("down"));
  auto const some = std::to_string(watched_monitors);
  CHECK(two.word("SELECT count(*) FROM outages WHERE ended_at IS NULL") == some);

  two.instances.process(1).kill();
  // Nobody waits here until its leases have ended.
  two.sql(
      "UPDATE check_shards SET lease_until = now() - interval '1 s' WHERE holder = (SELECT holder FROM check_shards "
      "ORDER BY lease_until LIMIT 1); DELETE FROM check_holders");
  target.open();
  CHECK(two.all_become("up"));
  CHECK(two.word("SELECT count(*) || ' ' || string_agg(DISTINCT end_reason, ',') FROM outages") ==
        some + " recovered");
  CHECK(two.word("SELECT count(*) FROM outages WHERE ended_at IS NULL") == "0");
  // The first check of a monitor is not by its phase; after that two results of one slot would begin together.
  CHECK(two.word("SELECT count(*) FROM (SELECT started_ms - lag(started_ms) OVER w AS gap, row_number() OVER w AS n"
                 " FROM check_raw WINDOW w AS (PARTITION BY monitor_id ORDER BY started_ms)) g"
                 " WHERE n > 2 AND gap < 500") == "0");
}

TEST_CASE("an instance that is stopped gives its shards to the other one at once, which goes on with its monitors") {
  watching_fleet two;
  watched_target target;
  CHECK(comes_true([&] { return two.holders() == "2"; }, 20s));
  two.add_monitors("http://" + target.address() + "/", watched_monitors);
  CHECK(two.all_become("up"));
  auto const begun = std::chrono::steady_clock::now();
  CHECK(two.instances.process(1).stop() == 0);
  CHECK(std::chrono::steady_clock::now() - begun < 4s);
  CHECK(two.word("SELECT count(*) FROM check_holders") == "1");
  // Renewed each three seconds.
  CHECK(comes_true([&] { return two.word("SELECT count(*) FROM check_shards WHERE lease_until > now()") == "64"; },
                   8s));
  target.close();
  CHECK(two.all_become("down"));
}

}  // namespace
}  // namespace svc::test
