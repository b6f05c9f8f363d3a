// Heartbeats through the running service: the path that is a credential, deadlines that instances evaluate, crashes.
#include "heartbeats.hpp"
#include "integration/system/extra_instance.hpp"
#include "support/service.hpp"

#include "svc/core/uuid.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

namespace svc::test {
namespace {

std::string one_value(fleet& fleet, std::string const& sql) {
  auto const found = fleet.sql(sql);
  return found.empty() ? std::string() : found[0][0];
}

std::string verdict_of(fleet& fleet, made_heartbeat const& heartbeat) {
  return one_value(fleet, "SELECT verdict FROM monitor_status WHERE monitor_id = '" + heartbeat.id + "'");
}

std::string pings_of(fleet& fleet, made_heartbeat const& heartbeat) {
  return one_value(fleet,
                   "SELECT coalesce(string_agg(signal || coalesce(':' || exit_code, '') || coalesce('=' || body, ''),"
                   " ' ' ORDER BY number), '') FROM heartbeat_beats WHERE monitor_id = '" +
                       heartbeat.id + "'");
}

bool soon(std::function<bool()> const& holds) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace

TEST_CASE("heartbeats are received by GET, HEAD and POST, and their key is in no log, metric or error") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto const ping = make_heartbeat(fleet, tenant);
  auto client = fleet.client(1);
  auto const first = client.get(ping.path());
  CHECK(first.status == 200);
  CHECK(first.body == "ok");
  CHECK(first.header("content-type").value_or("").starts_with("text/plain"));
  CHECK(first.header("ratelimit-policy").value_or("").starts_with("\"heartbeat\""));
  CHECK(verdict_of(fleet, ping) == "up");
  CHECK(client.call("HEAD", ping.path("start")).status == 200);
  CHECK(client.post(ping.path("log"), "half done").status == 200);
  CHECK(client.post(ping.path("17") + "?rid=" + uuid::generate_v7().to_string(), "no space left").status == 200);
  CHECK(verdict_of(fleet, ping) == "down");
  CHECK(client.post(ping.path()).status == 200);
  CHECK(verdict_of(fleet, ping) == "up");
  CHECK(pings_of(fleet, ping) == "success start log=half done fail:17=no space left success");

  auto wrong = ping.key;
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  auto const unknown = made_heartbeat{};
  CHECK(code_of(client.get("/api/heartbeats/" + wrong)) == "not_found");
  CHECK(code_of(client.get(unknown.path())) == "not_found");
  CHECK(code_of(client.get(ping.path("256"))) == "validation_failed");
  CHECK(code_of(client.get(ping.path() + "?rid=" + ping.key)) == "validation_failed");
  CHECK(code_of(client.post(ping.path(), std::string(102'401, 'x'))) == "body_too_large");
  CHECK(code_of(fleet.client(1, tenant.token).call("DELETE", ping.path())) == "method_not_allowed");
  auto const only_post = make_heartbeat(fleet, tenant, ",\"methods\":\"post\"");
  auto const refused = client.get(only_post.path());
  CHECK(refused.status == 405);
  CHECK(refused.header("allow") == "POST, OPTIONS");
  CHECK(client.post(only_post.path()).status == 200);
  auto const named = client.call("GET", ping.path("log"), {}, {{"X-Request-Id", ping.key}});
  CHECK(named.header("x-request-id") != ping.key);

  REQUIRE(logged(fleet.process(1), "/api/heartbeats/{key}/{signal}", 1));
  auto const secret = ping.key.substr(9, 24);
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    CHECK(fleet.process(i).err().text().find(secret) == std::string::npos);
    auto const pages = fleet.pages(i).get("/metrics").body;
    CHECK(pages.find(secret) == std::string::npos);
    if (i == 1) CHECK(pages.find("svc_heartbeats_total{signal=\"fail\"") != std::string::npos);
  }
  for (char const* answer : {"256", "17/more", "%00"})
    CHECK(client.get(ping.path(answer)).body.find(secret) == std::string::npos);
  CHECK(fleet.redis({"KEYS", "*" + secret + "*"}).find(secret) == std::string::npos);
}

TEST_CASE("a run's id is part of each way of sending a signal, and a signal ends only the run of its id") {
  auto& fleet = shared_fleet();
  auto const beat = make_heartbeat(fleet, fleet.make_tenant());
  auto client = fleet.client(1);
  auto const first = uuid::generate_v7().to_string(), second = uuid::generate_v7().to_string();
  auto const stored_runs = [&] {
    return one_value(fleet,
                     "SELECT string_agg(run, ' ') FROM (SELECT run_id::text AS run FROM heartbeat_beats"
                     " WHERE monitor_id = '" +
                         beat.id + "' ORDER BY number) AS told");
  };
  CHECK(client.get(beat.path("start") + "?rid=" + first).status == 200);
  CHECK(client.post(beat.path("start") + "?rid=" + second).status == 200);
  CHECK(one_value(fleet, "SELECT jsonb_array_length(runs) FROM heartbeats WHERE monitor_id = '" + beat.id + "'") ==
        "2");
  CHECK(client.post(beat.path() + "?rid=" + first).status == 200);
  auto const left = one_value(fleet, "SELECT runs::text FROM heartbeats WHERE monitor_id = '" + beat.id + "'");
  CHECK(left.find(second) != std::string::npos);
  CHECK(left.find(first) == std::string::npos);
  CHECK(client.get(beat.path() + "?rid=" + second).status == 200);
  CHECK(one_value(fleet, "SELECT jsonb_array_length(runs) FROM heartbeats WHERE monitor_id = '" + beat.id + "'") ==
        "0");
  CHECK(stored_runs() == first + ' ' + second + ' ' + first + ' ' + second);
}

TEST_CASE("a heartbeat is created, shown with its address to those who may change it, and edited") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto viewer = fleet.client(1, fleet.make_member(tenant, "project_viewer").token);
  auto const made = owner.post("/api/monitors", R"({"name":"backup","type":"heartbeat","config":{"schedule":)"
                                                R"({"cron":"0 3 * * *","timeZone":"Europe/Berlin"}}})");
  REQUIRE(made.status == 201);
  CHECK(made.header("cache-control") == "no-store");
  auto const path = "/api/monitors/" + text_of(body_of(made), "/id");
  auto const url = text_of(body_of(made), "/heartbeat/url");
  auto const ping = url.substr(url.find("/api/heartbeats/"));
  CHECK(fleet.client(1).post(ping + "/start").status == 200);
  CHECK(fleet.client(0).post(ping).status == 200);
  auto const shown = body_of(owner.get(path));
  CHECK(text_of(shown, "/status") == "up");
  CHECK(text_of(shown, "/heartbeat/url") == url);
  CHECK(shown.at("heartbeat").at("lastDurationMs").is_int64());
  CHECK(shown.at("nextCheckAt").is_null());
  auto const read = body_of(viewer.get(path));
  CHECK_FALSE(read.at("heartbeat").as_object().contains("url"));
  CHECK(text_of(read, "/heartbeat/lastBeatAt") == text_of(shown, "/heartbeat/lastBeatAt"));
  auto const wrong = owner.patch(path, R"({"config":{"schedule":{"cron":"0 3 * *"}}})");
  CHECK(code_of(wrong) == "validation_failed");
  CHECK(owner.patch(path, R"({"config":{"graceSeconds":900}})").status == 200);
  CHECK(owner.post(path + "/pause").status == 200);
  CHECK(fleet.client(0).post(ping + "/fail").status == 200);
  CHECK(text_of(body_of(owner.get(path)), "/status") == "paused");
  CHECK(owner.del(path).status == 204);
  CHECK(code_of(fleet.client(0).post(ping)) == "not_found");
}

TEST_CASE("the old key of a heartbeat works for a day after its rotation, or for the time that the request names") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  struct {
    char const *body, *grace;
  } const cases[] = {{"{}", "86400 s"}, {R"({"graceSeconds":600})", "600 s"}};
  for (auto const& each : cases) {
    CAPTURE(each.body);
    auto const beat = make_heartbeat(fleet, tenant);
    auto const before = one_value(fleet, "SELECT clock_timestamp()");
    REQUIRE(owner.post("/api/monitors/" + beat.id + "/rotate-key", each.body).status == 200);
    CHECK(one_value(fleet,
                    "SELECT ends_at - interval '" + std::string(each.grace) + "' BETWEEN '" + before +
                        "' AND clock_timestamp() FROM heartbeat_keys WHERE ends_at IS NOT NULL AND monitor_id = '" +
                        beat.id + "'") == "t");
    CHECK(fleet.client(1).get(beat.path()).status == 200);
  }
}

TEST_CASE("a missing heartbeat is down within seconds, by one vote of two instances") {
  auto& fleet = shared_fleet();
  auto const ping = make_heartbeat(fleet, fleet.make_tenant());
  CHECK(fleet.client(0).get(ping.path()).status == 200);
  // The data are of an earlier start, and nobody listened in between.
  fleet.sql(
      "UPDATE heartbeat_listening SET heard_at = now(), deaf_from = NULL, deaf_to = NULL;"
      "UPDATE heartbeats SET due_at = now() - interval '301 s', deadline_at = now() - interval '1 s'"
      " WHERE monitor_id = '" +
      ping.id + "'");
  CHECK(soon([&] { return verdict_of(fleet, ping) == "down"; }));
  CHECK(one_value(fleet, "SELECT count(*) FROM check_raw WHERE monitor_id = '" + ping.id + "'") == "2");
  CHECK(one_value(fleet, "SELECT count(*) FROM outages WHERE monitor_id = '" + ping.id + "'") == "1");
  CHECK(fleet.client(1).get(ping.path()).status == 200);
  CHECK(verdict_of(fleet, ping) == "up");
}

TEST_CASE("a key has a window of its own, and strangers that of their address") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto const heartbeat = make_heartbeat(fleet, tenant), other = make_heartbeat(fleet, tenant);
  extra_instance narrow({"SVC_LIMITS_HEARTBEAT_LIMIT=2", "SVC_LIMITS_ANONYMOUS_LIMIT=1"});
  auto client = narrow.client();
  CHECK(client.get(heartbeat.path()).status == 200);
  CHECK(client.get(heartbeat.path("log")).status == 200);
  auto const full = client.get(heartbeat.path());
  CHECK(code_of(full) == "rate_limited");
  CHECK(full.header("retry-after"));
  CHECK(client.get(other.path()).status == 200);
  auto const stranger = client.get(made_heartbeat{}.path());
  CHECK((code_of(stranger) == "not_found" || code_of(stranger) == "rate_limited"));
  CHECK(stranger.header("ratelimit-policy").value_or("").starts_with("\"anonymous\""));
  CHECK(code_of(client.get(made_heartbeat{}.path())) == "rate_limited");
}

TEST_CASE("keys that nobody has cost few reads, and one that was valid is not held up by them") {
  auto& fleet = shared_fleet();
  auto const heartbeat = make_heartbeat(fleet, fleet.make_tenant());
  extra_instance narrow({"SVC_AUTH_SEEN_READS=1", "SVC_WORKERS=1"});
  auto client = narrow.client();
  CHECK(client.get(heartbeat.path()).status == 200);
  std::string seen;
  for (int i = 0; i < 50 && seen != "unavailable"; ++i) seen = code_of(client.get(made_heartbeat{}.path()));
  CHECK(seen == "unavailable");
  CHECK(client.get(heartbeat.path("log")).status == 200);
}

TEST_CASE("kill -9 around a heartbeat's COMMIT: an answered signal is stored, and a retry counts") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  struct {
    char const* where;
    char const* stored;
  } const cases[] = {{"heartbeats.before_commit", ""}, {"heartbeats.after_commit", "fail:1"}};
  for (auto const& each : cases) {
    CAPTURE(each.where);
    auto const ping = make_heartbeat(fleet, tenant);
    auto const dying = fleet.beside({});
    REQUIRE(
        api_client(dying->admin_url(), {}, {}).post("/debug/failpoints", std::string(each.where) + "=exit").status ==
        200);
    api_client doomed(dying->url(), fleet.text("caFile"), {});
    CHECK_THROWS(doomed.get(ping.path("1")));
    CHECK(dying->process().wait() != 0);
    CHECK(pings_of(fleet, ping) == each.stored);
    CHECK(verdict_of(fleet, ping) == (*each.stored == '\0' ? "pending" : "down"));
    CHECK(fleet.client(0).get(ping.path("1")).status == 200);
    CHECK(verdict_of(fleet, ping) == "down");
    CHECK(one_value(fleet, "SELECT count(*) FROM outages WHERE monitor_id = '" + ping.id + "'") == "1");
  }
}

}  // namespace svc::test
