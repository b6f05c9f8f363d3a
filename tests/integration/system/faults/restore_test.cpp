// A restore to a point in time, by the steps of docs/backup.md: real archive, base backup under traffic, recovery.
#include "faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"
#include "restored_database.hpp"
#include "restored_sessions.hpp"

#include <atomic>

namespace svc::test {
namespace {

/// A client that uses its token and triggers all the time.
class traffic {
 public:
  traffic(std::string const& url, std::string const& ca_file, std::string const& token, std::string const& job)
      : thread_([=, this] {
          api_client client(url, ca_file, token);
          while (going_) {
            // A full queue refuses, which is an answer.
            auto const got = client.post(trigger_path(job), "{}");
            ++(got.status == 202 || got.status == 409 || got.status == 429 ? answered_ : failed_);
            std::this_thread::sleep_for(milliseconds(5));
          }
        }) {}
  ~traffic() { stop(); }
  void stop() {
    going_ = false;
    if (thread_.joinable()) thread_.join();
  }
  int answered() const { return answered_; }
  int failed() const { return failed_; }

 private:
  std::atomic<bool> going_{true};
  std::atomic<int> answered_{0}, failed_{0};
  std::thread thread_;
};

/// An instance with its clients.
struct installation {
  installation(restored_database const& database, fleet const& files)
      : service(database.serve()), url("https://" + service->address(0)), ca_file(files.text("caFile")) {}

  api_client client(std::string const& token) const { return {url, ca_file, token}; }
  runner_client runner(std::string const& token) const { return {"https://" + service->address(1), ca_file, token}; }
  int status_of(std::string const& token) const { return client(token).get("/api/auth/whoami").status; }

  std::unique_ptr<configured_service> service;
  std::string url, ca_file;
};

std::string trigger(api_client& client, std::string const& job) {
  auto const got = client.post(trigger_path(job), "{}");
  REQUIRE_MESSAGE(got.status == 202, got.body);
  return text_of(body_of(got), "/data/runId");
}

struct made_token {
  std::string id, key;
};

made_token make_token(restored_database const& database, std::string const& name, std::string const& owner = "ada") {
  auto const made =
      database.admin({"create-token", "--project", "acme/shop", "--owner", owner + "@example.org", "--name", name});
  return {text_of(made, "/id"), text_of(made, "/key")};
}

TEST_CASE("a restore to a point in time: revoked tokens stay dead, and no run is executed twice unnoticed") {
  auto& files = shared_fleet();
  restored_database database(files);
  for (std::string const name : {"ada", "bob"})
    database.admin({"create-user", "--email", name + "@example.org", "--name", name});
  database.admin({"create-organization", "--slug", "acme", "--name", "Acme"});
  database.admin({"create-project", "--organization", "acme", "--slug", "shop", "--name", "Shop"});
  for (std::string const name : {"ada", "bob"})
    database.admin({"add-member", "--organization", "acme", "--user", name + "@example.org", "--role", "org_owner"});
  auto const keeps = make_token(database, "keeps"), leaked = make_token(database, "leaked"),
             turned = make_token(database, "turned");
  auto const runner_token =
      text_of(database.admin({"create-runner", "--project", "acme/shop", "--name", "r"}), "/key");
  auto const lost_runner = database.admin({"create-runner", "--project", "acme/shop", "--name", "lost"});

  restored_sessions sessions(database, files);

  auto before = std::make_unique<installation>(database, files);
  sessions.begin(before->url);
  auto ada = before->client(keeps.key);
  auto const job = make_job(ada), busy_job = make_job(ada);
  auto const key = make_key(ada, job, "leaked");
  {
    traffic busy(before->url, before->ca_file, keeps.key, busy_job);
    database.back_up();
    busy.stop();
    CHECK(busy.answered() > 5);
    CHECK(busy.failed() == 0);
  }
  database.sql("DELETE FROM run_queue");  // leftovers of the traffic; the runs below are claimed in turn

  // The state at the time of the restore: one run has ended, one runs, one waits, a schedule is almost due.
  auto runner = before->runner(runner_token);
  REQUIRE(runner.enroll().status == 200);
  auto const ended = trigger(ada, job);
  REQUIRE(runner.complete(claims_of(runner.claim(2)).at(0), "passed").status == 204);
  auto const running = trigger(ada, job);
  auto const held = claims_of(runner.claim(2)).at(0);
  REQUIRE(text_of(held, "/runId") == running);
  auto const waiting = trigger(ada, job);
  auto const scheduled = text_of(
      body_of(ada.post("/api/jobs",
                       R"({"name":"nightly","jobType":"command","cronSchedule":"0 3 1 1 *","tests":[{"id":")" +
                           text_of(body_of(ada.get("/api/tests")), "/data/0/id") + R"("}]})")),
      "/id");
  database.sql("UPDATE jobs SET next_run_at = clock_timestamp() + interval '1 second' WHERE id = '" + scheduled +
               "'");
  // The time has a numeric offset, because recovery_target_time takes no Z.
  auto const time =
      database.sql("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US+00')")[0][0];
  std::this_thread::sleep_for(milliseconds(50));

  // The later changes are lost.
  sessions.change(before->url);
  CHECK(ada.del("/api/cli-tokens/" + leaked.id).status == 204);
  CHECK(ada.del("/api/jobs/" + job + "/trigger-keys/" + key.id).status == 204);
  auto const rotated = ada.post("/api/cli-tokens/" + turned.id + "/rotate", "{}");
  REQUIRE_MESSAGE(rotated.status < 300, rotated.body);
  database.admin({"revoke-runner", text_of(lost_runner, "/id")});
  // This token belongs to a user who lost nothing, so that only Redis still remembers it.
  auto const young = make_token(database, "young", "bob");
  CHECK(before->status_of(young.key) == 200);
  CHECK(before->status_of(leaked.key) == 401);
  REQUIRE(runner.complete(held, "passed").status == 204);
  REQUIRE(runner.complete(claims_of(runner.claim(2)).at(0), "passed").status == 204);
  REQUIRE(comes_true(
      [&] { return database.sql("SELECT count(*) FROM run_history WHERE trigger = 'schedule'")[0][0] == "1"; },
      patience));
  auto const dropped = trigger(ada, job);

  // The access log names the revoked tokens, for an operator whose former database is gone.
  auto const log = before->service->process().err().text();
  for (auto const& id : {leaked.id, key.id}) {
    CHECK(log.find("\"resourceId\":\"" + id + "\"") != std::string::npos);
  }
  CHECK(log.find(leaked.key) == std::string::npos);

  // These are the steps: end the instances, query the former database, restore, settle, empty Redis, serve.
  CHECK(before->service->process().stop() == 0);
  before.reset();
  auto const lost_rights = database.ask("ended_since.sql", time);
  for (auto const& id : {leaked.id, key.id, turned.id, text_of(lost_runner, "/id")})
    CHECK(lost_rights.find(id) != std::string::npos);
  CHECK(lost_rights.find(keeps.id) == std::string::npos);
  auto const reported = database.ask("changes_since.sql", time);
  for (auto const& part : {dropped, waiting, running, std::string("cli_token.created"), std::string("session.ended")})
    CHECK(reported.find(part) != std::string::npos);
  // A copy of the archive's end gives the same result, if the database cannot be read any more.
  database.restore({});
  CHECK(database.ask("ended_since.sql", time) == lost_rights);
  CHECK(database.ask("changes_since.sql", time) == reported);
  database.restore(time);
  auto const state = [&](std::string const& run) {
    auto const in_queue = database.sql("SELECT status FROM run_queue WHERE run_id = '" + run + "'");
    return in_queue.empty() ? std::string("not there") : in_queue[0][0];
  };
  // Otherwise the steps below would change nothing.
  REQUIRE(database.sql("SELECT revoked_at IS NULL FROM tokens WHERE id = '" + leaked.id + "'")[0][0] == "t");
  REQUIRE(state(running) == "running");
  REQUIRE(state(waiting) == "queued");
  REQUIRE(state(dropped) == "not there");

  CHECK(
      database.admin({"revoke-tokens"}, lost_rights + "\n# not there\n" + young.id + "\n").at("revoked").as_int64() ==
      4);
  std::string const reason = "The database was restored; whether this run was executed is not known.";
  auto const now =
      database.sql("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")[0][0];
  std::vector<std::string> const end{"end-runs", "--before", now, "--reason", reason, "--missed-schedules"};
  CHECK(database.admin(end).at("runs").as_int64() == 2);
  CHECK(state(waiting) == "queued");
  auto sure = end;
  sure.emplace_back("--yes");
  auto const did = database.admin(sure);
  CHECK(did.at("runs").as_int64() == 2);
  CHECK(did.at("skippedSchedules").as_int64() == 1);
  sessions.repeat_end();
  CHECK(database.redis().ask({"FLUSHALL"}) == "OK");

  installation const after(database, files);
  sessions.check_restored(after.url);
  auto again = after.client(keeps.key);
  CHECK(after.status_of(keeps.key) == 200);
  for (auto const& dead : {leaked.key, turned.key, young.key, text_of(body_of(rotated), "/token/key")}) {
    CAPTURE(dead);
    CHECK(after.status_of(dead) == 401);
  }
  CHECK(after.client(key.key).post(trigger_path(job), "{}").status == 401);
  CHECK(after.runner(text_of(lost_runner, "/key")).enroll().status == 401);

  // The former runner returns: its runs do not belong to it any more, and there is nothing to execute.
  auto back = after.runner(runner_token);
  REQUIRE(back.enroll().status == 200);
  CHECK(back.heartbeat(held).status == 409);
  CHECK(back.complete(held, "passed").status == 409);
  CHECK(claims_of(back.claim(2)).empty());
  for (auto const& run : {running, waiting}) {
    auto const seen = body_of(again.get("/api/runs/" + run));
    CHECK(text_of(seen, "/status") == "error");
    CHECK(text_of(seen, "/errorDetails") == reason);
  }
  CHECK(text_of(body_of(again.get("/api/runs/" + ended)), "/status") == "passed");
  CHECK(again.get("/api/runs/" + dropped).status == 404);
  CHECK(database.sql("SELECT count(*) FROM run_history WHERE trigger = 'schedule'")[0][0] == "0");
  CHECK(database.sql("SELECT count(*) FROM audit_log WHERE action IN ('run.ended', 'job.schedule_skipped')")[0][0] ==
        "3");

  // New traffic works as usual.
  auto const fresh = trigger(again, job);
  auto const claim = claims_of(back.claim(2)).at(0);
  CHECK(text_of(claim, "/runId") == fresh);
  CHECK(back.complete(claim, "passed").status == 204);
  auto const another = make_token(database, "another");
  CHECK(after.status_of(another.key) == 200);
  CHECK(again.del("/api/cli-tokens/" + another.id).status == 204);
  CHECK(after.status_of(another.key) == 401);
}

TEST_CASE("revoke-tokens and end-runs refuse invalid files, and change nothing") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  temporary_directory const directory;
  CHECK_THROWS_WITH(fleet.admin({"revoke-tokens", directory.write("ids", tenant.token_id + "\nsvc_live_abc\n")}),
                    doctest::Contains("Nothing was revoked"));
  CHECK(fleet.client(0, tenant.token).get("/api/auth/whoami").status == 200);
  CHECK_THROWS(fleet.admin({"end-runs", "--before", "yesterday", "--reason", "x", "--yes"}));
  CHECK_THROWS(fleet.admin({"end-runs", "--before", "2001-01-01", "--yes"}));
  auto const none = fleet.admin({"end-runs", "--before", "2001-01-01", "--reason", "x", "--yes"});
  CHECK(none.at("runs").as_int64() == 0);
}

}  // namespace
}  // namespace svc::test
