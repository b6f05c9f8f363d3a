// Monitors that are stored in the database, checked by real instances against a server of the test.
#include "monitor_rows.hpp"
#include "support/comes_true.hpp"
#include "support/fleet.hpp"
#include "support/metrics_page.hpp"
#include "support/watched_target.hpp"
#include "svc/core/bytes.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

constexpr int watched_monitors = 24;

/// Three instances that check monitors every two seconds, an interval that no user may choose.
struct watching_fleet {
  // Each loop takes a step every 50 ms, so that shards are shared at once.
  fleet instances{3, {"SVC_FAILPOINTS=background.hurry=delay:0"}};

  watching_fleet() { allow_any_interval(instances); }

  sql_rows sql(std::string const& statements) const { return instances.sql(statements); }
  std::string word(std::string const& query) const { return instances.word(query); }

  void add_monitors(std::string const& target, int count) const {
    add_monitor_rows(instances,
                     {.count = count, .target = target, .config = R"('{"retryStrategy":{"maxRetries":0}}')"});
  }
  bool all_become(std::string const& verdict) const {
    return comes_true([&] { return word("SELECT bool_and(verdict = '" + verdict + "') FROM monitor_status") == "t"; },
                      20s);
  }
  /// Returns the delay of each result's start after its slot, in milliseconds; nothing if two results have one slot.
  std::optional<std::vector<std::int64_t>> lateness() const {
    std::vector<std::int64_t> out;
    std::map<std::string, std::int64_t> newest;
    for (auto const& row :
         sql("SELECT monitor_id, encode(result, 'hex') FROM check_raw ORDER BY monitor_id, started_ms")) {
      auto const entry = checks::read_packed(from_hex(row[1]).value()).value().front();
      if (std::exchange(newest[row[0]], entry.slot) >= entry.slot) return std::nullopt;
      out.push_back(entry.started_ms - entry.slot);
    }
    return out;
  }
  /// Returns the sum of the shards that the instances show as theirs.
  double shown_shards() const {
    double out = 0;
    for (int i = 0; i < 3; ++i) out += sum_of(instances.pages(i).get("/metrics").body, "svc_check_shards");
    return out;
  }
  bool are_held_by(std::string const& holders) const {
    return comes_true(
        [&] {
          return word(
                     "SELECT count(DISTINCT holder) || ' ' || count(*) FROM check_shards WHERE lease_until > "
                     "now()") == holders + " 64";
        },
        20s);
  }
};

TEST_CASE("monitors become up, then down with an outage each, and up again, while instances are killed and stopped") {
  watching_fleet three;
  watched_target target;
  CHECK(three.are_held_by("3"));
  three.add_monitors("http://" + target.address() + "/", watched_monitors);
  CHECK(three.all_become("up"));
  CHECK(three.word("SELECT count(*) FROM outages") == "0");
  target.close();
  CHECK(three.all_become("down"));
  auto const some = std::to_string(watched_monitors);
  CHECK(three.word("SELECT count(*) FROM outages WHERE ended_at IS NULL") == some);
  CHECK(sum_of(three.instances.pages(0).get("/metrics").body, "svc_checks_total", "status=\"down\"") > 0);
  CHECK(comes_true([&] { return three.shown_shards() == 64; }, 5s));

  three.instances.process(1).kill();
  // The other instances have renewed since then. The test does not wait for the expiry of the killed one.
  std::this_thread::sleep_for(300ms);
  three.sql(
      "UPDATE check_shards SET lease_until = now() - interval '1 s'"
      " WHERE holder = (SELECT id FROM check_holders ORDER BY seen_at LIMIT 1);"
      "DELETE FROM check_holders WHERE seen_at = (SELECT min(seen_at) FROM check_holders)");
  target.open();
  CHECK(three.all_become("up"));
  CHECK(three.word("SELECT count(*) || ' ' || string_agg(DISTINCT end_reason, ',') FROM outages") ==
        some + " recovered");

  // A stopped instance releases its shards at once.
  auto const begun = std::chrono::steady_clock::now();
  CHECK(three.instances.process(2).stop() == 0);
  CHECK(std::chrono::steady_clock::now() - begun < 4s);
  CHECK(three.are_held_by("1"));
  // The next scheduler of a shard makes up for a missed slot, perhaps right before the next one.
  auto const late = three.lateness();
  REQUIRE(late);
  CHECK(late->size() > 2U * watched_monitors);
  auto const [least, most] = std::ranges::minmax(*late);
  CHECK(least >= 0);
  // The check is due in the interval of its slot, and is skipped once half an interval has passed.
  CHECK(most < 2000 + 1000);
  auto const health = body_of(three.instances.client(0).get("/api/health"));
  CHECK(text_of(health, "/checks/status") == "ok");
}

}  // namespace
}  // namespace svc::test
