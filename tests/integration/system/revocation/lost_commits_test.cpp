// A standby is promoted that had not received everything: what is lost, and the steps of docs/operating.md after it.
#include "integration/system/faults/outage.hpp"
#include "integration/system/faults/replicated_installation.hpp"
#include "integration/system/faults/restored_database.hpp"

namespace svc::test {
namespace {

std::string trigger(api_client& by, std::string const& job) {
  auto const got = by.post(trigger_path(job), "{}");
  REQUIRE_MESSAGE(got.status == 202, got.body);
  return text_of(body_of(got), "/data/runId");
}

std::string status_of(api_client& by, std::string const& run) {
  auto const got = by.get("/api/runs/" + run);
  return got.status == 200 ? text_of(body_of(got), "/status") : std::to_string(got.status);
}

/// What an owner and a runner did before the standby was cut off, and what they did after.
struct two_times {
  replicated_installation on{shared_fleet(), replicated_postgres::commits::asynchronous};
  replicated_installation::made_token good = on.make_token("good"), leaked = on.make_token("leaked"),
                                      turned = on.make_token("turned"), off = on.make_token("off");
  boost::json::object farm = on.admin({"create-runner", "--organization", "acme", "--name", "farm"}),
                      lent = on.admin({"create-runner", "--organization", "acme", "--name", "lent"});
  api_client ada = on.client(0, good.key);
  runner_client runner = on.runner(0, text_of(farm, "/key"));
  std::string job = make_job(ada);
  trigger_key key = make_key(ada, job, "k");
  replicated_installation::made_token of_bob{}, young{};
  std::string ended{}, running{}, waiting{}, forgotten{};
  boost::json::value held{};
  std::string turned_key{};

  two_times() {
    on.make_user("bob", "org_owner");
    of_bob = on.make_token("of bob", "bob");
    REQUIRE(runner.enroll().status == 200);
    ended = trigger(ada, job);
    REQUIRE(runner.complete(claims_of(runner.claim(2)).at(0), "passed").status == 204);
    running = trigger(ada, job);
    held = claims_of(runner.claim(2)).at(0);
    waiting = trigger(ada, job);
    on.postgres().wait_until_level();
    on.postgres().cut_replication();
    lose();
  }

  void lose() {
    REQUIRE(ada.del("/api/cli-tokens/" + leaked.id).status == 204);
    auto const rotated = ada.post("/api/cli-tokens/" + turned.id + "/rotate", "{}");
    REQUIRE_MESSAGE(rotated.status < 300, rotated.body);
    turned_key = text_of(body_of(rotated), "/token/key");
    REQUIRE(ada.patch("/api/cli-tokens/" + off.id, R"({"enabled":false})").status == 200);
    REQUIRE(ada.del("/api/jobs/" + job + "/trigger-keys/" + key.id).status == 204);
    on.admin({"revoke-runner", text_of(lent, "/id")});
    on.admin({"remove-member", "--organization", "acme", "--user", "bob@example.org"});
    young = on.make_token("young");
    REQUIRE(runner.complete(held, "passed").status == 204);
    REQUIRE(runner.complete(claims_of(runner.claim(2)).at(0), "passed").status == 204);
    forgotten = trigger(ada, job);
    for (auto const* dead : {&leaked, &off, &of_bob}) REQUIRE(on.uses(dead->key) == "401");
    REQUIRE(on.uses(young.key) == "200");
    for (auto const& run : {running, waiting}) REQUIRE(status_of(ada, run) == "passed");
  }

  /// The primary vanishes; returns when the instances take changes on the former standby.
  void promote() {
    on.postgres().primary().kill();
    on.postgres().promote();
    REQUIRE(comes_true(
        [&] {
          for (std::size_t i = 0; i < on.size(); ++i) {
            auto by = on.client(i, good.key);
            if (by.post("/api/tests", R"({"title":"t","type":"command","script":"true"})").status != 201)
              return false;
          }
          return true;
        },
        back_within));
  }

  std::string revoke(std::string const& ids) {
    temporary_directory const place;
    return std::to_string(on.admin({"revoke-tokens", place.write("ended", ids)}).at("revoked").as_int64());
  }
};

/// The second part of the page: what the new primary does not know, as it says there.
void check_lost(two_times& in) {
  CHECK(in.on.uses(in.good.key) == "200");
  for (auto const& alive : {in.leaked.key, in.turned.key, in.off.key, in.of_bob.key})
    CHECK(in.on.uses(alive) == "200");
  for (auto const& unknown : {in.young.key, in.turned_key}) CHECK(in.on.uses(unknown) == "401");
  CHECK(status_of(in.ada, in.ended) == "passed");
  CHECK(status_of(in.ada, in.running) == "running");
  CHECK(status_of(in.ada, in.waiting) == "queued");
  CHECK(status_of(in.ada, in.forgotten) == "404");
}

TEST_CASE(
    "an asynchronous promotion loses what the standby had not received, and the page's steps settle all of it") {
  two_times in;
  auto& on = in.on;
  auto const in_use = std::stoll(on.sql(on.postgres().primary(), "SELECT max(epoch) FROM subjects")[0][0]);
  in.promote();
  check_lost(in);
  CHECK(std::stoll(on.sql(on.postgres().standby(), "SELECT max(lowest_epoch) FROM timelines")[0][0]) > in_use);

  // 1. When the new primary had its last transaction, and a few seconds earlier.
  auto const since = on.sql(on.postgres().standby(),
                            "SELECT to_char((pg_last_xact_replay_timestamp() - interval '5 seconds') AT TIME ZONE "
                            "'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00')")[0][0];
  REQUIRE(since != "");
  // 2. The former primary, from its disk. Instances can reach it here, and must not use it.
  on.postgres().primary().start();
  auto const former = replicated_installation::url_of(on.postgres().primary());
  auto const ended = tell_by_psql(on.postgres().primary(), former, "ended_since.sql", since);
  auto const told = tell_by_psql(on.postgres().primary(), former, "changes_since.sql", since);
  for (auto const& id : {in.leaked.id, in.turned.id, in.off.id, in.key.id, text_of(in.lent, "/id")})
    CHECK(ended.find(id) != std::string::npos);
  CHECK(ended.find(in.good.id) == std::string::npos);
  for (auto const& part : {in.running, in.waiting, in.forgotten, std::string("member.removed")})
    CHECK_MESSAGE(told.find(part) != std::string::npos, told);
  check_lost(in);

  // 3. Tokens by the list, members by hand. Bob's token is on the list because its owner left.
  CHECK(in.revoke(ended) == "6");
  on.admin({"remove-member", "--organization", "acme", "--user", "bob@example.org"});
  for (auto const& dead : {in.leaked.key, in.turned.key, in.off.key, in.of_bob.key}) CHECK(on.uses(dead) == "401");
  CHECK(on.client(1, in.key.key).post(trigger_path(in.job), "{}").status == 401);
  CHECK(on.runner(1, text_of(in.lent, "/key")).enroll().status == 401);
  CHECK(on.uses(in.good.key) == "200");

  // 4. Runs, before somebody claims them again.
  std::string const reason = "The database lost its last changes; whether this run was executed is not known.";
  auto const now = on.sql(on.postgres().standby(),
                          "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', "
                          "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")[0][0];
  CHECK(on.admin({"end-runs", "--before", now, "--reason", reason, "--yes"}).at("runs").as_int64() == 2);
  for (auto const& run : {in.running, in.waiting}) {
    auto const seen = body_of(in.ada.get("/api/runs/" + run));
    CHECK(text_of(seen, "/status") == "error");
    CHECK(text_of(seen, "/errorDetails") == reason);
  }
  CHECK(in.runner.heartbeat(in.held).status == 409);
  CHECK(in.runner.complete(in.held, "passed").status == 409);
  CHECK(claims_of(in.runner.claim(1)).empty());

  // 5. The former primary becomes a standby, and may be promoted in turn.
  on.postgres().primary().become({on.postgres().standby()});
  auto const streams = [&] {
    return on.sql(on.postgres().standby(),
                  "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")[0][0];
  };
  CHECK(comes_true([&] { return streams() == "1"; }, patience));
  CHECK(on.sql(on.postgres().primary(), "SELECT pg_is_in_recovery()")[0][0] == "t");
  auto const fresh = trigger(in.ada, in.job);
  auto const claim = claims_of(in.runner.claim(2)).at(0);
  CHECK(text_of(claim, "/runId") == fresh);
  CHECK(in.runner.complete(claim, "passed").status == 204);
  CHECK(comes_true(
      [&] {
        return on.sql(on.postgres().primary(), "SELECT status FROM run_results WHERE run_id = '" + fresh + "'") ==
               sql_rows{{"passed"}};
      },
      patience));
}

}  // namespace
}  // namespace svc::test
