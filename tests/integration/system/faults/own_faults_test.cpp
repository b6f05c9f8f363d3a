// Our own faults do not count against a target: dead DNS servers, a cut uplink, all instances away.
#include "integration/egress/dns_server.hpp"
#include "integration/egress/http_server.hpp"
#include "integration/system/monitoring/monitor_rows.hpp"
#include "support/comes_true.hpp"
#include "support/fleet.hpp"
#include "support/free_port.hpp"
#include "support/metrics_page.hpp"
#include "support/thread_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <thread>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

/// Polls rarely, because each question is a new connection.
bool will_be(std::function<bool()> const& content) {
  return comes_true(content, 90s, 100ms);
}

constexpr char const* uplink_address = "10.99.0.1";

/// One instance with monitors that are checked every four seconds, an interval that no user may choose.
class frequent_watch {
 public:
  explicit frequent_watch(std::vector<std::string> const& environment = {}) : fleet_(1, environment) {
    allow_any_interval(fleet_);
  }
  void add(std::string const& kind, std::string const& target, int count) const {
    add_monitor_rows(fleet_, {.count = count, .name = kind, .target = target, .every = 4, .attempts_seconds = 3});
  }
  /// Returns the common verdict of all monitors of a kind, if there is only one.
  std::string all_are(std::string const& kind) const {
    return fleet_.word(
        "SELECT string_agg(DISTINCT s.verdict, ' ') FROM monitors m JOIN monitor_status s ON s.monitor_id = m.id"
        " WHERE m.name LIKE '" +
        kind + " %'");
  }
  bool all_become(std::string const& kind, std::string const& verdict) const {
    return will_be([&] { return all_are(kind) == verdict; });
  }
  /// Returns the distinct reasons that users read.
  std::string reasons_of(std::string const& kind) {
    auto user = fleet_.client(0, fleet_.text("token"));
    std::vector<std::string> out;
    for (auto const& row : fleet_.sql("SELECT id::text FROM monitors WHERE name LIKE '" + kind + " %'")) {
      auto const shown = body_of(user.get("/api/monitors/" + row.at(0)));
      out.push_back(text_of(shown, "/status") + " " + text_of(shown, "/reason/code"));
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out.size() == 1 ? out.front() : std::to_string(out.size()) + " reasons";
  }
  std::string outages_of(std::string const& kind) const {
    return fleet_.word("SELECT count(*) FROM outages o JOIN monitors m ON m.id = o.monitor_id WHERE m.name LIKE '" +
                       kind + " %'");
  }
  fleet& instances() { return fleet_; }

 private:
  fleet fleet_;
};

std::string at_port(std::string const& host, int port) {
  return "http://" + host + ":" + std::to_string(port) + "/";
}

std::string connectivity_probe_at(http_server const& server) {
  return std::string(uplink_address) + ":" + std::to_string(server.port());
}

/// An installation whose instances are all killed, and start again when all of their writes are older.
class away_installation {
 public:
  away_installation() {
    start();
    sql("ALTER TABLE monitors DROP CONSTRAINT monitors_frequency_seconds_check");
    sql("CREATE TABLE verdicts_seen (verdict text);"
        "CREATE FUNCTION note_verdict() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS"
        " $$ BEGIN INSERT INTO verdicts_seen VALUES (NEW.verdict); RETURN NULL; END $$;"
        "CREATE TRIGGER verdict_noted AFTER UPDATE OF verdict ON monitor_status FOR EACH ROW"
        " WHEN (OLD.verdict <> NEW.verdict) EXECUTE FUNCTION note_verdict()");
  }

  void away_for_ten_minutes() {
    other_->process().kill();
    // Until dev is killed too, it only runs its PostgreSQL.
    dev_->process().signal(SIGSTOP);
    sql(make_older);
    dev_->process().kill();
    other_.reset();
    dev_.reset();
    start();
  }
  api_client user() const { return {dev_->text("url"), dev_->text("caFile"), dev_->text("token")}; }
  std::string make(std::string const& monitor) const {
    auto const made = user().post("/api/monitors", monitor);
    REQUIRE(made.status == 201);
    return text_of(body_of(made), "/id");
  }
  boost::json::object shown(std::string const& monitor) const {
    return body_of(user().get("/api/monitors/" + monitor));
  }
  std::string status_of(std::string const& monitor) const { return text_of(shown(monitor), "/status"); }
  std::string sql(std::string const& statements) const {
    auto url = dev_->text("postgresUrl");
    std::string const service_role = "//svc_app@";
    url.replace(url.find(service_role), service_role.size(), "//svc_owner@");
    auto const found = ask_postgres(url, statements);
    return found.empty() ? std::string() : found[0][0];
  }

 private:
  static constexpr char const* make_older = R"(
DO $$
DECLARE t record;
BEGIN
  FOR t IN SELECT table_name, string_agg(format('%1$I = %1$I - interval ''10 min''', column_name), ', ') AS sets
             FROM information_schema.columns
            WHERE table_schema = 'public' AND data_type = 'timestamp with time zone'
              AND table_name IN ('monitors', 'monitor_status', 'check_states', 'check_holders', 'check_shards',
                                 'heartbeats', 'heartbeat_beats', 'heartbeat_listening')
            GROUP BY table_name LOOP
    EXECUTE format('UPDATE %I SET %s', t.table_name, t.sets);
  END LOOP;
END $$;
UPDATE check_states SET last_slot = greatest(0, last_slot - 600000);
UPDATE check_raw SET started_ms = started_ms - 600000, hour = (started_ms - 600000) / 3600000,
                     ring = (started_ms - 600000) / 3600000 % 8)";

  void start() {
    dev_.emplace(data_.path());
    other_.emplace(*dev_);
  }

  temporary_directory data_;
  std::optional<dev_service> dev_;
  std::optional<second_service> other_;
};

}  // namespace

TEST_CASE("DNS servers that die and an uplink that is cut make errors with their reasons, and no outage") {
  thread_network here;
  if (!here.is_own()) {
    MESSAGE("no network namespace can be made here: a cut uplink was not shown");
    return;
  }
  here.add(uplink_address);
  auto const well = [](http_connection& connection) {
    if (!connection.request().empty()) connection.send(answer_of(200, "Connection: close\r\n", "ok"));
  };
  http_server near(well), far({.address = uplink_address}, well);
  http_server one_connectivity_probe({.address = uplink_address}, well),
      other_connectivity_probe({.address = uplink_address}, well);
  std::optional<dns_server> names(std::in_place,
                                  [](dns_question const& q) { return dns_addresses(q, {"127.0.0.1"}, 0); });
  frequent_watch watch({"SVC_CHECKS_RESOLVERS=127.0.0.1:" + std::to_string(names->port()),
                        "SVC_CHECKS_CANARIES=" + connectivity_probe_at(one_connectivity_probe) + "," +
                            connectivity_probe_at(other_connectivity_probe),
                        "SVC_OUTGOING_ALLOW_CIDRS=127.0.0.0/8," + std::string(uplink_address) + "/32",
                        "SVC_CHECKS_PER_TARGET_PER_MINUTE=1000000"});
  watch.add("named", at_port("a.test", near.port()), 12);
  watch.add("outside", at_port(uplink_address, far.port()), 12);
  // This monitor keeps the connectivity probes in use until the last moment.
  watch.add("gone", at_port("127.0.0.1", free_port()), 1);
  CHECK(watch.all_become("named", "up"));
  CHECK(watch.all_become("outside", "up"));
  CHECK(watch.all_become("gone", "down"));

  names.reset();
  here.remove();
  CHECK(watch.all_become("named", "error"));
  CHECK(watch.all_become("outside", "error"));
  CHECK(watch.reasons_of("named") == "error resolver_unreachable");
  CHECK(watch.reasons_of("outside") == "error location_impaired");
  CHECK(watch.outages_of("named") == "0");
  CHECK(watch.outages_of("outside") == "0");
  // Outages from before neither end nor start again.
  CHECK(watch.outages_of("gone") == "1");
  CHECK(sum_of(watch.instances().pages(0).get("/metrics").body, "svc_location_impaired", "") == 1);

  here.add(uplink_address);
  CHECK(watch.all_become("outside", "up"));
  CHECK(watch.outages_of("outside") == "0");
}

TEST_CASE("all instances stopped for ten minutes: no monitor and no heartbeat is down, and the time is unknown") {
  http_server target([](http_connection& connection) {
    if (!connection.request().empty()) connection.send(answer_of(200, "Connection: close\r\n", "ok"));
  });
  away_installation both;
  auto const site = both.make(R"({"name":"site","type":"http_request","target":")" + target.url() + "\"}");
  both.sql("UPDATE monitors SET frequency_seconds = 4, changed_at = clock_timestamp()");
  auto const backup = both.make(
      R"({"name":"backup","type":"heartbeat","config":{"schedule":{"everySeconds":60},"graceSeconds":60}})");
  auto const url = text_of(both.shown(backup), "/heartbeat/url");
  CHECK(both.user().get(url.substr(url.find("/api/"))).status == 200);
  CHECK(will_be([&] { return both.status_of(site) == "up"; }));
  CHECK(both.status_of(backup) == "up");
  both.sql("TRUNCATE verdicts_seen");

  both.away_for_ten_minutes();
  // An instance listens again, has judged the deadlines of the meantime, and has checked more than once.
  CHECK(will_be([&] {
    return both.sql(
               "SELECT count(*) FROM heartbeat_listening l, heartbeats h WHERE l.deaf_to - l.deaf_from"
               " > interval '9 min' AND h.deadline_at > clock_timestamp()") == "1";
  }));
  CHECK(will_be([&] {
    return both.sql(
               "SELECT count(*) > 1 FROM check_raw"
               " WHERE started_ms > extract(epoch FROM clock_timestamp() - interval '5 min') * 1000") == "t";
  }));
  CHECK(both.status_of(backup) == "up");
  CHECK(both.status_of(site) == "up");
  CHECK(both.sql("SELECT coalesce(string_agg(verdict, ' '), '') FROM verdicts_seen").empty());
  CHECK(both.sql("SELECT count(*) FROM outages") == "0");
  boost::json::object stats;
  // A check covers the time until now in whole seconds, so the newest one may cover none yet.
  CHECK(will_be([&] {
    stats = body_of(both.user().get("/api/monitors/" + site + "/stats?period=24h"));
    return stats.at("observedSeconds").to_number<int>() > 0;
  }));
  CHECK(stats.at("uptimePercent").to_number<double>() == 100);
  CHECK(stats.at("observedSeconds").to_number<int>() < 300);
}

}  // namespace svc::test
