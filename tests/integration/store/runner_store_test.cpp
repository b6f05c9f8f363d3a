// Tokens of runners, and how their claims end.
#include "runner_fixture.hpp"

#include <boost/json.hpp>

using namespace svc;
using namespace svc::test;

TEST_CASE("runner tokens: made once by name, listed, revoked for good, each with its audit row") {
  machine db;
  CHECK(db.wait(db.runners.authenticate(db.secret, db.soon()))->project == db.project);
  auto const wide = db.make_token(db.organization, {});
  auto const id = db.last_token;
  CHECK_FALSE(db.wait(db.runners.authenticate(wide, db.soon()))->project);
  auto const again = mint_runner_token();
  CHECK(failure(db.wait(db.keys.create({db.organization, {}, "r1", again.start, again.digest}, db.actor,
                                       db.soon()))) == errc::name_taken);
  CHECK(failure(db.wait(db.keys.create({{}, uuid::generate_v7(), "x", again.start, again.digest}, db.actor,
                                       db.soon()))) == errc::not_found);
  auto const listed = db.wait(db.keys.list(db.organization, db.soon()));
  REQUIRE(listed.size() == 2);
  CHECK(listed[0].runners == 1);
  CHECK(listed[0].last_seen_at.has_value());
  CHECK(listed[1].runners == 0);

  CHECK(db.wait(db.keys.revoke(id, db.actor, db.soon())).has_value());
  CHECK(failure(db.wait(db.keys.revoke(id, db.actor, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.runners.authenticate(wide, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.authenticate(again.digest, db.soon()))) == errc::invalid_token);
  CHECK(db.wait(db.keys.list({}, db.soon())).size() == 1);
  CHECK(db.audit_rows("runner.created") == 2);
  CHECK(db.audit_rows("runner.revoked") == 1);
}

TEST_CASE("a runner that enrolls again under its name is the same one") {
  machine db;
  CHECK(db.enroll(db.secret) == db.self);
  CHECK(db.enroll(db.make_token(db.organization, {})) != db.self);
}

TEST_CASE("complete: once, with the results of its tests; repeating it is not an error") {
  machine db;
  auto const second = db.make_test("u");
  auto const job = db.make_job("two", {db.make_test("first").id, second.id});
  db.make_run(job.id);
  auto const held = db.claim().front();
  auto const planned = boost::json::parse(held.tests).as_array();
  std::string const reported = R"([{"id":)" + boost::json::serialize(planned[0].at("id")) +
                               R"(,"status":"failed","durationMs":12,"errorDetails":"exit 1"}])";
  auto const done = db.complete(held, "failed", reported);
  REQUIRE(done.has_value());
  CHECK(done->now);
  CHECK(done->attempt == 1);
  CHECK_FALSE(done->queued);
  CHECK_FALSE(done->work);
  auto const seen = db.read_run(held.run);
  CHECK(seen.status == "failed");
  CHECK(seen.completed_at.has_value());
  auto const tests = boost::json::parse(seen.tests).as_array();
  CHECK(tests[0].at("title").as_string() == "first");
  CHECK(tests[0].at("status").as_string() == "failed");
  CHECK(tests[0].at("durationMs").as_int64() == 12);
  CHECK(tests[1].at("status").as_string() == "skipped");
  CHECK(db.number({{"due", "SELECT count(*) FROM run_output"}}) == 1);

  auto const again = db.complete(held, "failed", reported);
  REQUIRE(again.has_value());
  CHECK_FALSE(again->now);
  CHECK(failure(db.complete(held, "passed", reported)) == errc::claim_lost);
  CHECK(failure(db.wait(db.runners.extend(db.secret, held.run, held.claim, db.soon()))) == errc::claim_lost);
  CHECK(failure(db.wait(db.runners.release(db.secret, held.run, held.claim, db.soon()))) == errc::claim_lost);
  CHECK(db.read_run(held.run).version == seen.version);
}

TEST_CASE("a run that is cancelled while it waits for another attempt leaves its output to be moved") {
  machine db;
  auto const fresh = db.make_run(db.id).run;
  CHECK(db.wait(db.runs.cancel(db.as_ed(), fresh, db.soon())).has_value());
  CHECK(db.number({{"due_of_fresh", "SELECT count(*) FROM run_output"}}) == 0);
  auto const again = db.make_run(db.id).run;
  auto const held = db.claim().front();
  CHECK(db.wait(db.runners.release(db.secret, held.run, held.claim, db.soon())).has_value());
  CHECK(db.wait(db.runs.cancel(db.as_ed(), again, db.soon())).has_value());
  CHECK(db.number({{"due_of_again", "SELECT count(*) FROM run_output"}}) == 1);
  auto const tests = boost::json::parse(db.read_run(again).tests).as_array();
  CHECK(tests.at(0).at("status").as_string() == "cancelled");
}

TEST_CASE("release: back to its place in the queue, unless it is being cancelled") {
  machine db;
  auto const older = db.make_run(db.id).run;
  db.make_run(db.id);
  auto const first = db.claim().front();
  CHECK(first.run == older);
  auto const back = db.wait(db.runners.release(db.secret, first.run, first.claim, db.soon()));
  REQUIRE(back.has_value());
  CHECK(back->queued);
  REQUIRE(back->work);
  CHECK(back->work->project == db.project);
  CHECK(back->work->organization == db.organization);
  CHECK(back->work->job_type == "command");
  CHECK(db.read_run(older).status == "queued");
  CHECK_FALSE(db.read_run(older).started_at);
  CHECK(failure(db.complete(first)) == errc::claim_lost);
  CHECK(db.number({{"due_none", "SELECT count(*) FROM run_output"}}) == 0);

  auto const second = db.claim().front();
  CHECK(second.run == older);
  CHECK(second.attempt == 2);
  CHECK(db.count("lost_claims > 0") == 0);
  CHECK(db.wait(db.runs.cancel(db.as_ed(), older, db.soon())).has_value());
  auto const ended = db.wait(db.runners.release(db.secret, second.run, second.claim, db.soon()));
  REQUIRE(ended.has_value());
  CHECK_FALSE(ended->queued);
  CHECK(ended->status == "cancelled");
  CHECK(db.read_run(older).status == "cancelled");
  CHECK(db.number({{"due_one", "SELECT count(*) FROM run_output"}}) == 1);
}

TEST_CASE("fencing: a claim that is not the run's current one changes nothing") {
  machine db;
  db.make_run(db.id);
  auto const stale = db.claim().front();
  // As the reaper does.
  db.set_run(stale.run, "status = 'queued', claim_id = NULL, lease_until = NULL, lost_claims = 1");
  auto const refused = [&] {
    CHECK(failure(db.complete(stale)) == errc::claim_lost);
    CHECK(failure(db.wait(db.runners.extend(db.secret, stale.run, stale.claim, db.soon()))) == errc::claim_lost);
    CHECK(failure(db.wait(db.runners.look(db.secret, stale.run, stale.claim, db.soon()))) == errc::claim_lost);
    CHECK(failure(db.wait(db.runners.release(db.secret, stale.run, stale.claim, db.soon()))) == errc::claim_lost);
  };
  refused();
  auto const held = db.claim().front();
  CHECK(held.run == stale.run);
  CHECK(held.attempt == 2);
  refused();
  // Another project's token has no right to it, even with the claim.
  auto const other = db.make_token({}, db.other_project);
  CHECK(failure(db.wait(db.runners.extend(other, held.run, held.claim, db.soon()))) == errc::claim_lost);
  CHECK(db.complete(held)->now);
  refused();
  CHECK(db.read_run(held.run).status == "passed");
}

TEST_CASE("a revoked token does nothing, whatever it holds") {
  machine db;
  db.make_run(db.id);
  db.make_run(db.id);
  auto const held = db.claim().front();
  db.as_owner("UPDATE runner_tokens SET revoked_at = now()");
  CHECK(failure(db.wait(db.runners.claim(db.secret, {db.self, {"command"}, 1}, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.enroll(db.secret, {"b", "1", {"command"}, 1}, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.extend(db.secret, held.run, held.claim, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.look(db.secret, held.run, held.claim, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.complete(held)) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.release(db.secret, held.run, held.claim, db.soon()))) == errc::token_revoked);
  CHECK(db.count("status = 'running'") == 1);
  CHECK(db.count("status = 'queued'") == 1);
}

TEST_CASE("version 0.1 enrolls under the former names of the tables") {
  machine db;
  postgres::statement const former{"enroll_0_1", R"(
INSERT INTO executors (id, token_id, name, version, labels, slots) SELECT $1, id, 'box', '0.1', '{command}', 4
  FROM executor_tokens WHERE digest = $2 AND revoked_at IS NULL
ON CONFLICT (token_id, name) DO UPDATE SET version = excluded.version, last_seen_at = clock_timestamp() RETURNING id)"};
  auto const enroll = [&] {
    return db.must({former, postgres::parameters(uuid::generate_v7(), byte_view(db.secret))}).front().id(0);
  };
  CHECK(enroll() == db.self);
  CHECK(db.number({{"runners_named", "SELECT count(*) FROM runners WHERE version = '0.1'"}}) == 1);
  db.as_owner("DELETE FROM runners");
  CHECK(enroll() != db.self);
}
