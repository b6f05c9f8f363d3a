// The primary of PostgreSQL is lost and its standby promoted: the view of the clients of two instances.
#include "integration/system/extra_instance.hpp"
#include "outage.hpp"
#include "replicated_installation.hpp"
#include "support/metrics_page.hpp"
#include "support/private_pgbouncer.hpp"

namespace svc::test {
namespace {

using commits = replicated_postgres::commits;

std::string sessions_of_pools(private_postgres const& postgres) {
  return replicated_installation::sql(postgres,
                                      "SELECT count(*) FROM pg_stat_activity WHERE usename = 'svc_app' AND "
                                      "application_name = 'svcd'")[0][0];
}

/// Returns true if each instance accepts writes again within that time.
bool writes_again(replicated_installation const& installation, std::string const& token, milliseconds within) {
  return comes_true(
      [&] {
        for (std::size_t i = 0; i < installation.size(); ++i) {
          auto client = installation.client(i, token);
          if (client.post("/api/tests", R"({"title":"t","type":"command","script":"true"})").status != 201)
            return false;
        }
        return true;
      },
      within);
}

std::string lowest_epoch(replicated_installation& installation) {
  return installation.sql(installation.postgres().standby(), "SELECT max(lowest_epoch) FROM timelines")[0][0];
}

TEST_CASE("a synchronous standby is promoted under load: no acknowledged write is lost, and all is back in 2 s") {
  replicated_installation installation(shared_fleet(), commits::synchronous);
  auto const good = installation.make_token("good"), gone = installation.make_token("gone");
  auto ada = installation.client(0, good.key);
  auto const job = make_job(ada);
  auto const key = make_key(ada, job, "k");
  REQUIRE(installation.uses(gone.key) == "200");
  writers load(installation, good.key, key.key, job);
  REQUIRE(comes_true([&] { return load.acknowledged() >= 40; }, patience));
  REQUIRE(ada.del("/api/cli-tokens/" + gone.id).status == 204);
  installation.postgres().primary().kill();
  // No instance accepts a write, and no client learns that a good token is invalid.
  REQUIRE(comes_true([&] { return load.refused() >= 4; }, patience));
  CHECK(installation.uses(gone.key).find("200") == std::string::npos);
  installation.postgres().promote();
  auto const promoted = clock::now();
  CHECK(writes_again(installation, good.key, back_within));
  MESSAGE("writes again " << std::chrono::duration_cast<milliseconds>(clock::now() - promoted).count()
                          << " ms after the promotion");
  auto const before = load.acknowledged();
  CHECK(comes_true([&] { return load.acknowledged() >= before + 40; }, patience));
  load.check(
      [&](std::string const& question) { return installation.sql(installation.postgres().standby(), question); });
  CHECK(installation.uses(gone.key) == "401");
  CHECK(installation.uses(good.key) == "200");
  for (std::size_t i = 0; i < installation.size(); ++i) {
    // Each instance looks once a second, and its sessions may be there before.
    auto const timeline = [&] {
      return sum_of(installation.pages(i).get("/metrics").body, "svc_postgres_timeline ");
    };
    CHECK(comes_true([&] { return timeline() == 2; }, patience));
    CHECK(sum_of(installation.pages(i).get("/metrics").body, "svc_postgres_switches_total ") == 1);
    auto const shown = body_of(installation.pages(i).get("/readyz?verbose")).at("primaries").at("postgres");
    CHECK(shown.at("server").as_string().find(installation.postgres().standby().directory()) != std::string::npos);
    CHECK(shown.at("timeline") == 2);
  }
  // The first instance recorded the timeline, once; commands find the new primary too.
  CHECK(installation.sql(installation.postgres().standby(), "SELECT count(*), max(timeline) FROM timelines") ==
        sql_rows{{"2", "2"}});
  auto const late = installation.make_token("late");
  CHECK(installation.uses(late.key) == "200");
  installation.admin({"revoke-token", late.id});
  CHECK(installation.uses(late.key) == "401");
}

TEST_CASE(
    "an asynchronous standby is promoted while the former primary continues: its sessions end, epochs are advanced") {
  replicated_installation installation(shared_fleet(), commits::asynchronous);
  installation.make_user("bob", "org_owner");
  auto const good = installation.make_token("good"), leaked = installation.make_token("leaked"),
             off = installation.make_token("off", "bob"), later = installation.make_token("later");
  auto ada = installation.client(0, good.key), other = installation.client(1, good.key);
  REQUIRE(ada.patch("/api/cli-tokens/" + off.id, R"({"enabled":false})").status == 200);
  CHECK(installation.uses(off.key) == "401");
  CHECK(installation.uses(leaked.key) == "200");
  installation.postgres().wait_until_level();
  installation.postgres().cut_replication();
  // Changes that are acknowledged from here on are lost.
  REQUIRE(ada.del("/api/cli-tokens/" + leaked.id).status == 204);
  REQUIRE(ada.patch("/api/cli-tokens/" + off.id, R"({"enabled":true})").status == 200);
  auto const young = installation.make_token("young", "bob");
  CHECK(installation.uses(leaked.key) == "401");
  CHECK(installation.uses(off.key) == "200");
  CHECK(installation.uses(young.key) == "200");
  auto const in_use = installation.sql(installation.postgres().primary(), "SELECT max(epoch) FROM subjects")[0][0];

  installation.postgres().primary().freeze();
  installation.postgres().promote();
  installation.postgres().primary().thaw();
  auto const since = clock::now();
  CHECK(comes_true([&] { return sessions_of_pools(installation.postgres().primary()) == "0"; }, patience));
  CHECK(clock::now() - since < seconds(2));
  CHECK(writes_again(installation, good.key, back_within));
  CHECK(sessions_of_pools(installation.postgres().primary()) == "0");

  // Instances reject all records of the timeline that ended, also records that Redis still proves.
  CHECK(installation.uses(off.key) == "401");
  CHECK(installation.uses(young.key) == "401");
  // docs/operating.md: a revocation that was lost must be repeated.
  CHECK(installation.uses(leaked.key) == "200");
  auto const lowest = lowest_epoch(installation);
  CHECK(std::stoll(lowest) > std::stoll(in_use));
  CHECK(installation.sql(installation.postgres().standby(),
                         "SELECT count(*) FROM subjects WHERE epoch < " + lowest)[0][0] == "0");
  // New epochs exceed those that Redis knew: revocation is immediate, on the other instance too.
  CHECK(other.del("/api/cli-tokens/" + later.id).status == 204);
  CHECK(installation.uses(later.key) == "401");
  CHECK(ada.del("/api/cli-tokens/" + leaked.id).status == 204);
  CHECK(installation.uses(leaked.key) == "401");
  CHECK(installation.uses(good.key) == "200");
  for (std::size_t i = 0; i < installation.size(); ++i)
    CHECK(installation.log_of(i).find("the database is behind an epoch") == std::string::npos);
}

TEST_CASE("an instance that uses PgBouncer serves together with others, and each change counts on all of them") {
  auto& fleet = shared_fleet();
  private_pgbouncer const pooler("host=" + fleet.sql("SHOW unix_socket_directories")[0][0], "default_pool_size = 4");
  extra_instance const behind(
      {"SVC_POSTGRES_URL=" + pooler.url("svc_app", "svc"), "SVC_POSTGRES_PREPARED_STATEMENTS=false"});
  auto const tenant = fleet.make_tenant();
  auto client = behind.client(tenant.token), other = fleet.client(0, tenant.token);
  auto const job = make_job(client);
  auto const key = make_key(client, job, "k");
  auto const got = behind.client(key.key).post(trigger_path(job), "{}");
  CHECK_MESSAGE(got.status == 202, got.body);
  CHECK(other.get("/api/runs/" + text_of(body_of(got), "/data/runId")).status == 200);
  auto const made = body_of(other.post("/api/cli-tokens", R"({"name":"n"})"));
  auto const token = text_of(made, "/token/key");
  CHECK(behind.client(token).get("/api/auth/whoami").status == 200);
  CHECK(other.del("/api/cli-tokens/" + text_of(made, "/token/id")).status == 204);
  CHECK(behind.client(token).get("/api/auth/whoami").status == 401);
  // The pooler loses its sessions, for example at a promotion.
  pooler.command("RECONNECT");
  CHECK(comes_true([&] { return client.get("/api/jobs").status == 200; }, back_within));
}

}  // namespace
}  // namespace svc::test
