#include "integration/system/jobs.hpp"
#include "support/private_redis.hpp"
#include "worker_connections.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace svc::test {
namespace {

constexpr int requests = 1000;
constexpr int anonymous_limit = 10;

/// Periodic statements of an instance, about once a second, and statements that only start, end or set something.
constexpr char const* maintenance =
    "'subject_outbox|instances|run_output|settle_output|idempotency_keys|next_run_at|lease_until|last_use|partitions|"
    "pg_control_system|begin_timeline|set_config|check_|monitor|outages|heartbeat|provider_queue|messages|alerts|"
    "system_mails|page_|status_pages|maintenance_|run_queue ORDER BY|^(BEGIN|COMMIT|ROLLBACK|SET)'";

/// The service's use of the stores, by the stores' own statistics.
struct store_use {
  long long scripts = 0;  ///< EVALSHA
  long long gets = 0;     ///< GET, also in scripts: an admission of a token makes one
  long long others = 0;   ///< any other command that only a client sends
  long long statements = 0;

  store_use operator-(store_use const& use) const {
    return {scripts - use.scripts, gets - use.gets, others - use.others, statements - use.statements};
  }
};

store_use ask_stores(fleet const& fleet) {
  store_use out;
  std::istringstream lines(fleet.redis({"INFO", "commandstats"}));
  for (std::string line; std::getline(lines, line);) {
    auto const calls = line.find(":calls=");
    if (calls == std::string::npos) continue;
    auto const count = std::atoll(line.c_str() + calls + 7);
    auto const name = line.substr(0, calls);
    if (name == "cmdstat_evalsha") out.scripts += count;
    // A heartbeat of an instance makes one; nothing else here does.
    if (name == "cmdstat_zadd") out.scripts -= count;
    if (name == "cmdstat_get") out.gets += count;
    for (auto const* other : {"cmdstat_mget", "cmdstat_eval", "cmdstat_ping", "cmdstat_script|load"})
      if (name == other) out.others += count;
  }
  auto const rows = fleet.sql(
      "SELECT coalesce(sum(s.calls), 0) FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid"
      " WHERE r.rolname = 'svc_app' AND s.query !~ " +
      std::string(maintenance));
  out.statements = std::atoll(rows[0][0].c_str());
  return out;
}

/// Returns the statements of the service that started since then, by the sessions' own records. Ended sessions do not
/// count.
std::string begun_since(fleet const& fleet, std::string const& moment) {
  return fleet.sql("SELECT count(*) FROM pg_stat_activity WHERE usename = 'svc_app' AND query_start > '" + moment +
                   "' AND query !~ " + maintenance)[0][0];
}

void check_warm(fleet& fleet, std::vector<api_client>& connections) {
  auto const moment = fleet.sql("SELECT clock_timestamp()")[0][0];
  auto const before = ask_stores(fleet);
  for (int i = 0; i < requests; ++i) {
    auto const got = connections[static_cast<std::size_t>(i) % connections.size()].get("/api/auth/whoami");
    REQUIRE(got.status == 200);
  }
  auto const cost = ask_stores(fleet) - before;
  CHECK(cost.scripts == requests);
  CHECK(cost.gets == requests);
  CHECK(cost.others == 0);
  CHECK(cost.statements == 0);
  CHECK(begun_since(fleet, moment) == "0");
}

void check_bad_checksum(fleet& fleet, std::vector<api_client>& connections) {
  auto token = fleet.text("token");
  token.back() = token.back() == 'x' ? 'y' : 'x';
  auto client = fleet.client(0, token);
  auto const before = ask_stores(fleet);
  for (int i = 0; i < requests; ++i) {
    CAPTURE(i);
    auto const got = client.get("/api/auth/whoami");
    bool const limited = i >= anonymous_limit;
    REQUIRE(code_of(got) == (limited ? "rate_limited" : "invalid_token"));
    REQUIRE(got.status == (limited ? 429 : 401));
    REQUIRE(got.header("retry-after").has_value() == limited);
    REQUIRE(got.number("x-ratelimit-limit") == anonymous_limit);
    REQUIRE(got.number("x-ratelimit-remaining") == std::max(0, anonymous_limit - 1 - i));
    REQUIRE(got.header("ratelimit-policy") == "\"anonymous\";q=10;w=60");
  }
  auto const cost = ask_stores(fleet) - before;
  CHECK(cost.scripts == 0);
  CHECK(cost.gets == 0);
  CHECK(cost.others == 0);
  CHECK(cost.statements == 0);
  // A valid token is never refused because of other clients from the same address.
  CHECK(whoami(connections) == "200");
}

/// A worker that has not seen the token reads it once from Redis, or once from PostgreSQL.
void check_first_uses(fleet& fleet) {
  auto const tenant = fleet.make_tenant();
  auto const digest =
      fleet.sql("SELECT encode(digest, 'hex') FROM token_secrets WHERE token_id = '" + tenant.token_id + "'")[0][0];
  auto first = connections_of(fleet, tenant.token);
  auto const before = ask_stores(fleet);
  CHECK(first[0].get("/api/auth/whoami").status == 200);
  auto const cold = ask_stores(fleet) - before;
  CHECK(cold.statements == 1);
  // The record is written to Redis in parallel with the answer, not before it.
  while (fleet.redis({"GET", "svc:tok:{" + digest + "}"}) == "?") std::this_thread::yield();
  CHECK(first[1].get("/api/auth/whoami").status == 200);
  auto const known = ask_stores(fleet) - before;
  CHECK(known.statements == 1);
}

TEST_CASE("a denied key that never stops costs one script in 50 ms") {
  using std::chrono::milliseconds;
  constexpr milliseconds hammered{1000}, remembered{50};
  private_redis const output;
  fleet fleet(1, {"SVC_REDIS_OUTPUT_URL=" + output.url()});
  auto owner = fleet.client(0, fleet.text("token"));
  auto const job = make_job(owner);
  auto const key = make_key(owner, job, "k", R"("rateLimit":{"limit":1,"windowSeconds":60})").key;
  // There is one connection, and so one worker.
  auto client = fleet.client(0, key);
  REQUIRE(client.post(trigger_path(job)).status == 202);
  auto const before = ask_stores(fleet);
  auto const start = std::chrono::steady_clock::now();
  int denied = 0;
  for (; std::chrono::steady_clock::now() < start + hammered; ++denied)
    REQUIRE(client.post(trigger_path(job)).status == 429);
  auto const most = (std::chrono::steady_clock::now() - start) / remembered + 1;
  auto const cost = ask_stores(fleet) - before;
  CHECK(cost.scripts <= most);
  CHECK(cost.statements == 0);
  CHECK(denied > 4 * most);
}

TEST_CASE("a warm request costs one script and no SQL; a bad checksum costs nothing; a first use one read") {
  // Each worker updates the ledger of live output once a second. The ledger is in another Redis, where it does not
  // count.
  private_redis const output;
  fleet fleet(
      1, {"SVC_LIMITS_ANONYMOUS_LIMIT=" + std::to_string(anonymous_limit), "SVC_REDIS_OUTPUT_URL=" + output.url()});
  auto connections = connections_of(fleet, fleet.text("token"));
  for (int i = 0; i < 3; ++i) REQUIRE(whoami(connections) == "200");
  check_warm(fleet, connections);
  check_bad_checksum(fleet, connections);
  check_first_uses(fleet);
}

}  // namespace
}  // namespace svc::test
