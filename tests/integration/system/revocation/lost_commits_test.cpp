// A standby is promoted that had not received everything: the losses, and the steps of docs/operating.md after them.
#include "integration/system/faults/outage.hpp"
#include "integration/system/faults/replicated_installation.hpp"
#include "integration/system/faults/restored_database.hpp"
#include "integration/system/sessions/browser.hpp"

namespace svc::test {
namespace {

std::string trigger(api_client& client, std::string const& job) {
  auto const got = client.post(trigger_path(job), "{}");
  REQUIRE_MESSAGE(got.status == 202, got.body);
  return text_of(body_of(got), "/data/runId");
}

std::string status_of(api_client& client, std::string const& run) {
  auto const got = client.get("/api/runs/" + run);
  return got.status == 200 ? text_of(body_of(got), "/status") : std::to_string(got.status);
}

/// The actions of an owner and a runner before the standby was cut off, and after it.
struct two_times {
  replicated_installation installation{shared_fleet(), replicated_postgres::commits::asynchronous};
  replicated_installation::made_token good = installation.make_token("good"),
                                      leaked = installation.make_token("leaked"),
                                      turned = installation.make_token("turned"),
                                      off = installation.make_token("off");
  boost::json::object farm = installation.admin({"create-runner", "--organization", "acme", "--name", "farm"}),
                      lent = installation.admin({"create-runner", "--organization", "acme", "--name", "lent"});
  api_client ada = installation.client(0, good.key);
  runner_client runner = installation.runner(0, text_of(farm, "/key"));
  std::string job = make_job(ada);
  trigger_key key = make_key(ada, job, "k");
  replicated_installation::made_token of_bob{}, young{};
  std::string ended{}, running{}, waiting{}, dropped{};
  boost::json::value held{};
  std::string turned_key{};
  header_list signed_out{}, young_session{};  ///< of browsers

  two_times() {
    installation.make_user("bob", "org_owner");
    installation.make_user("eve", "org_member");
    signed_out = sign_in("eve");
    of_bob = installation.make_token("of bob", "bob");
    REQUIRE(runner.enroll().status == 200);
    ended = trigger(ada, job);
    REQUIRE(runner.complete(claims_of(runner.claim(2)).at(0), "passed").status == 204);
    running = trigger(ada, job);
    held = claims_of(runner.claim(2)).at(0);
    waiting = trigger(ada, job);
    installation.postgres().wait_until_level();
    installation.postgres().cut_replication();
    lose();
  }

  /// Signs in by a link of the operator; returns what the browser sends with its requests.
  header_list sign_in(std::string const& user) const {
    auto const link = text_of(installation.admin({"create-sign-in-link", "--user", user + "@example.org"}), "/link");
    browser page(shared_fleet(), installation.client(0, {}));
    auto const got = page.post("/dashboard/v1/sign-in/link", one_member("token", link.substr(link.find('#') + 1)));
    REQUIRE_MESSAGE(got.status == 200, got.body);
    return {{"Cookie", std::string(session_cookie_name) + "=" + page.cookie(session_cookie_name)},
            {"Sec-Fetch-Site", "same-origin"}};
  }

  /// Returns the answer of each instance to a use of the session; one text if all agree.
  std::string opens(header_list const& session) const {
    std::string all;
    for (std::size_t i = 0; i < installation.size(); ++i) {
      auto const got = installation.client(i, {}).call("GET", "/dashboard/v1/me", {}, session);
      auto const said = got.status == 200 ? "200" : code_of(got);
      if (all != said) all += (all.empty() ? "" : " | ") + said;
    }
    return all;
  }

  void lose() {
    REQUIRE(opens(signed_out) == "200");
    REQUIRE(installation.client(1, {}).call("POST", "/dashboard/v1/sign-out", {}, signed_out).status == 204);
    REQUIRE(opens(signed_out) == "session_ended");
    young_session = sign_in("ada");
    REQUIRE(opens(young_session) == "200");
    REQUIRE(ada.del("/api/cli-tokens/" + leaked.id).status == 204);
    auto const rotated = ada.post("/api/cli-tokens/" + turned.id + "/rotate", "{}");
    REQUIRE_MESSAGE(rotated.status < 300, rotated.body);
    turned_key = text_of(body_of(rotated), "/token/key");
    REQUIRE(ada.patch("/api/cli-tokens/" + off.id, R"({"enabled":false})").status == 200);
    REQUIRE(ada.del("/api/jobs/" + job + "/trigger-keys/" + key.id).status == 204);
    installation.admin({"revoke-runner", text_of(lent, "/id")});
    installation.admin({"remove-member", "--organization", "acme", "--user", "bob@example.org"});
    young = installation.make_token("young");
    REQUIRE(runner.complete(held, "passed").status == 204);
    REQUIRE(runner.complete(claims_of(runner.claim(2)).at(0), "passed").status == 204);
    dropped = trigger(ada, job);
    for (auto const* dead : {&leaked, &off, &of_bob}) REQUIRE(installation.uses(dead->key) == "401");
    REQUIRE(installation.uses(young.key) == "200");
    for (auto const& run : {running, waiting}) REQUIRE(status_of(ada, run) == "passed");
  }

  /// Kills the primary, and returns when the instances accept changes on the former standby.
  void promote() {
    installation.postgres().primary().kill();
    installation.postgres().promote();
    REQUIRE(comes_true(
        [&] {
          for (std::size_t i = 0; i < installation.size(); ++i) {
            auto client = installation.client(i, good.key);
            if (client.post("/api/tests", R"({"title":"t","type":"command","script":"true"})").status != 201)
              return false;
          }
          return true;
        },
        back_within));
  }

  std::string revoke(std::string const& ids) {
    temporary_directory const directory;
    return std::to_string(
        installation.admin({"revoke-tokens", directory.write("ended", ids)}).at("revoked").as_int64());
  }
};

/// Checks the second part of the page: the new primary lacks exactly the changes that the page names.
void check_lost(two_times& times) {
  CHECK(times.installation.uses(times.good.key) == "200");
  for (auto const& alive : {times.leaked.key, times.turned.key, times.off.key, times.of_bob.key})
    CHECK(times.installation.uses(alive) == "200");
  CHECK(times.opens(times.signed_out) == "200");
  CHECK(times.opens(times.young_session) == "session_invalid");
  for (auto const& unknown : {times.young.key, times.turned_key}) CHECK(times.installation.uses(unknown) == "401");
  CHECK(status_of(times.ada, times.ended) == "passed");
  CHECK(status_of(times.ada, times.running) == "running");
  CHECK(status_of(times.ada, times.waiting) == "queued");
  CHECK(status_of(times.ada, times.dropped) == "404");
}

TEST_CASE("an asynchronous promotion loses unreplicated changes, and the page's steps settle all of them") {
  two_times times;
  auto& installation = times.installation;
  auto const in_use =
      std::stoll(installation.sql(installation.postgres().primary(), "SELECT max(epoch) FROM subjects")[0][0]);
  times.promote();
  check_lost(times);
  CHECK(std::stoll(installation.sql(installation.postgres().standby(),
                                    "SELECT max(lowest_epoch) FROM timelines")[0][0]) > in_use);

  // Step 1: find the time of the new primary's last transaction, and a time a few seconds earlier.
  auto const since =
      installation.sql(installation.postgres().standby(),
                       "SELECT to_char((pg_last_xact_replay_timestamp() - interval '5 seconds') AT TIME ZONE "
                       "'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00')")[0][0];
  REQUIRE(since != "");
  // Step 2: read the former primary from its disk. Instances can reach it here, and must not use it.
  installation.postgres().primary().start();
  auto const former = replicated_installation::url_of(installation.postgres().primary());
  auto const ended = ask_by_psql(installation.postgres().primary(), former, "ended_since.sql", since);
  auto const reported = ask_by_psql(installation.postgres().primary(), former, "changes_since.sql", since);
  for (auto const& id : {times.leaked.id, times.turned.id, times.off.id, times.key.id, text_of(times.lent, "/id")})
    CHECK(ended.find(id) != std::string::npos);
  CHECK(ended.find(times.good.id) == std::string::npos);
  for (auto const& part :
       {times.running, times.waiting, times.dropped, std::string("member.removed"), std::string("session.ended")})
    CHECK_MESSAGE(reported.find(part) != std::string::npos, reported);
  check_lost(times);

  // Step 3: end tokens by the list, members and sessions by hand. Bob's token is on the list because its owner left.
  CHECK(times.revoke(ended) == "6");
  installation.admin({"remove-member", "--organization", "acme", "--user", "bob@example.org"});
  installation.admin({"end-sessions", "--user", "eve@example.org"});
  CHECK(times.opens(times.signed_out) == "session_ended");
  for (auto const& dead : {times.leaked.key, times.turned.key, times.off.key, times.of_bob.key})
    CHECK(installation.uses(dead) == "401");
  CHECK(installation.client(1, times.key.key).post(trigger_path(times.job), "{}").status == 401);
  CHECK(installation.runner(1, text_of(times.lent, "/key")).enroll().status == 401);
  CHECK(installation.uses(times.good.key) == "200");

  // Step 4: end runs, before a runner claims them again.
  std::string const reason = "The database lost its last changes; whether this run was executed is not known.";
  auto const now = installation.sql(installation.postgres().standby(),
                                    "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', "
                                    "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")[0][0];
  CHECK(installation.admin({"end-runs", "--before", now, "--reason", reason, "--yes"}).at("runs").as_int64() == 2);
  for (auto const& run : {times.running, times.waiting}) {
    auto const seen = body_of(times.ada.get("/api/runs/" + run));
    CHECK(text_of(seen, "/status") == "error");
    CHECK(text_of(seen, "/errorDetails") == reason);
  }
  CHECK(times.runner.heartbeat(times.held).status == 409);
  CHECK(times.runner.complete(times.held, "passed").status == 409);
  CHECK(claims_of(times.runner.claim(1)).empty());

  // Step 5: the former primary becomes a standby, and may be promoted in turn.
  installation.postgres().primary().become({installation.postgres().standby()});
  auto const streams = [&] {
    return installation.sql(installation.postgres().standby(),
                            "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")[0][0];
  };
  CHECK(comes_true([&] { return streams() == "1"; }, patience));
  CHECK(installation.sql(installation.postgres().primary(), "SELECT pg_is_in_recovery()")[0][0] == "t");
  auto const fresh = trigger(times.ada, times.job);
  auto const claim = claims_of(times.runner.claim(2)).at(0);
  CHECK(text_of(claim, "/runId") == fresh);
  CHECK(times.runner.complete(claim, "passed").status == 204);
  CHECK(comes_true(
      [&] {
        return installation.sql(installation.postgres().primary(), "SELECT status FROM run_results WHERE run_id = '" +
                                                                       fresh + "'") == sql_rows{{"passed"}};
      },
      patience));
}

}  // namespace
}  // namespace svc::test
